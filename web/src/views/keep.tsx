/** Which documents stay: rules, what they would remove, the lists of it, and removing. */

import { useState } from "preact/hooks";

import { useAction } from "../lib/action";
import { ApiError, withQuery } from "../lib/api";
import { useMay, useMe, useSearchAwaited } from "../lib/data";
import { plural, sentence } from "../lib/format";
import { type ViewProps, go } from "../lib/router";
import { download } from "../lib/save";
import type { Preview, NewRemoval } from "../lib/types";
import { Button, Failed, Loading, Page } from "../parts";
import { FilterField } from "../parts/filter-field";
import "../style/keep.css";
import { FilterHelp } from "./clusters/filter-help";
import { Apply } from "./keep/apply";
import { Outcome } from "./keep/outcome";
import { usePreview } from "./keep/preview";
import { Removals } from "./keep/removals";
import { RuleEditor } from "./keep/rule-editor";
import { parseRules, wrongWith } from "./keep/rules";

const formats: [format: string, label: string][] = [
  ["jsonl", "JSON Lines"],
  ["csv", "CSV"],
  ["html", "HTML"],
];

export default function KeepView({ query }: ViewProps) {
  const [keep, filter] = [query.get("keep") ?? "", query.get("filter") ?? ""];
  const usable = parseRules(keep).every((rule) => wrongWith(rule) === undefined);
  const choice: NewRemoval | null = usable ? { ...(keep && { keep }), ...(filter && { filter }) } : null;
  const answer = usePreview(choice);
  const { data, error, loading, reload } = answer;
  const isStale = loading || error !== undefined;
  useSearchAwaited(answer);
  const me = useMe();
  // Who does not see everything cannot tell what a removal would take.
  const mayRemove = useMay("write") && (me === undefined || me.labels === null);
  const [wrongFilter, wrongRules] = [400, 422].map((status) =>
    error instanceof ApiError && error.status === status ? sentence(error.message) : undefined,
  );
  const show = (change: { keep?: string; filter?: string }) => go(["keep"], { keep, filter, ...change }, true);

  return (
    <Page title="Keep and remove" lead="Of every cluster one document stays. Nothing is removed before you say so.">
      <div class="keep-choice">
        <section class="card">
          <h2>Rules</h2>
          <RuleEditor text={keep} set={(text) => show({ keep: text })} error={wrongRules} />
        </section>
        <section class="card">
          <h2>Clusters</h2>
          <p class="muted">Without a filter, all of them.</p>
          <div class="keep-filter">
            <FilterField
              placeholder="Filter: size:>3, source:web …"
              value={filter}
              set={(text) => show({ filter: text })}
              error={wrongFilter}
            />
            <FilterHelp />
          </div>
        </section>
      </div>
      <section class="card" aria-busy={loading}>
        <div class="row keep-head">
          <h2>What would go</h2>
          {data !== undefined && choice !== null && <Lists choice={choice} preview={data.preview} />}
          {data !== undefined && choice !== null && mayRemove && <Apply shown={data} isStale={isStale} />}
        </div>
        {choice === null && <p class="muted">A rule is not complete yet.</p>}
        {(wrongFilter ?? wrongRules) !== undefined && <p class="muted">What would go is told as soon as filter and rules can be used.</p>}
        {error && wrongFilter === undefined && wrongRules === undefined && <Failed error={error} retry={reload} />}
        {data === undefined && loading && <Loading lines={8} />}
        {data !== undefined && <Outcome preview={data.preview} />}
      </section>
      {mayRemove && <Removals />}
    </Page>
  );
}

/** The list of removals with the evidence, in several formats. */
function Lists({ choice, preview }: { choice: NewRemoval; preview: Preview }) {
  const [busyWith, setBusyWith] = useState<string>();
  const [fetchList, busy] = useAction((format: string) => {
    setBusyWith(format);
    return download(withQuery("/api/removals/export", { format, ...choice }), `removals.${format}`);
  });
  return (
    <div class="row no-print" role="group" aria-label={`List of ${plural(preview.removed, "document")}`}>
      {formats.map(([format, label]) => (
        <Button
          key={format}
          disabled={preview.removed === 0}
          busy={busy && busyWith === format}
          aria-label={`Download as ${label}`}
          onClick={() => fetchList(format)}
        >
          {label}
        </Button>
      ))}
      <Button onClick={() => print()}>Print</Button>
    </div>
  );
}
