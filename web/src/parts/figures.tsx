export type Figure = [name: string, value: string, about: string];

/** A few large numbers side by side. */
export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl class="figures">
      {figures.map(([name, value, about]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="figure">{value}</dd>
          <dd class="muted">{about}</dd>
        </div>
      ))}
    </dl>
  );
}
