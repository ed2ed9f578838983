import type { ComponentChildren } from "preact";

import "../style/facts.css";

export type Fact = readonly [name: string, value: ComponentChildren];

/** Names and values, in as many columns as there is room for. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
