/** All that people decided of pairs. */

import { useCallback, useEffect, useMemo } from "preact/hooks";

import { useAction } from "../lib/action";
import { useData, useMay } from "../lib/data";
import { decide } from "../lib/decide";
import { count, moment, nameText, plural } from "../lib/format";
import { toJson } from "../lib/json";
import { type DocumentName, sidesOf } from "../lib/names";
import { setQueue } from "../lib/pairs";
import { toPair } from "../lib/places";
import { type Place, type ViewProps, Link, go, visit } from "../lib/router";
import { saveText } from "../lib/save";
import type { Decisions, TitledDecision as Decision } from "../lib/types";
import { Button, Cell, Empty, Failed, Loading, Name, Page, VirtualList } from "../parts";
import { FilterField } from "../parts/filter-field";
import "../style/decisions.css";

const ROW_HEIGHT = 40;

const verdicts: Record<string, string> = { "": "All decisions", duplicate: "Duplicates", different: "Not duplicates" };

export default function DecisionsView({ query }: ViewProps) {
  const [filter, verdict] = [query.get("filter") ?? "", query.get("verdict") ?? ""];
  const { data, error, loading, reload } = useData<Decisions>("/api/decisions?titles=true");
  const mayWrite = useMay("reviewer");
  const mayLabel = useMay("admin");
  const shown = useMemo(() => matching(data?.decisions ?? [], filter, verdict), [data, filter, verdict]);
  const load = useCallback((offset: number, limit: number) => shown.slice(offset, offset + limit), [shown]);
  const show = (change: { filter?: string; verdict?: string }) => go(["decisions"], { filter, verdict, ...change }, true);
  useEffect(() => setQueue(shown.map(sidesOf), "Decisions"), [shown]);

  const total = data?.decisions.length ?? 0;
  const actions = total > 0 && (
    <>
      <span aria-live="polite">
        {shown.length === total ? plural(total, "decision") : `${count(shown.length)} of ${plural(total, "decision")}`}
      </span>
      <Button disabled={shown.length === 0} onClick={() => saveText(linesOf(shown), "application/x-ndjson", "decisions.jsonl")}>
        Download
      </Button>
    </>
  );
  return (
    <Page title="Decisions" fill actions={actions}>
      {error && <Failed error={error} retry={reload} />}
      {data === undefined && loading && <Loading lines={12} />}
      {data !== undefined && total === 0 && (
        <Empty title="Nothing here yet: nobody has decided of a pair.">
          <p>
            Compare two documents of a <Link to="clusters">cluster</Link> and say whether they are duplicates
            {mayLabel && (
              <>
                , or go through a queue in <Link to="label">Labelling</Link>
              </>
            )}
            .
          </p>
        </Empty>
      )}
      {total > 0 && (
        <>
          <form class="decision-controls" role="search" onSubmit={(event) => event.preventDefault()}>
            <FilterField placeholder="Filter: parts of titles, ids and names" value={filter} set={(text) => show({ filter: text })} />
            <select aria-label="Verdict" value={verdict} onChange={(event) => show({ verdict: event.currentTarget.value })}>
              {Object.entries(verdicts).map(([name, label]) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </select>
          </form>
          {shown.length === 0 ? (
            <Empty title="No decision matches this filter.">Take a part of it away.</Empty>
          ) : (
            <VirtualList
              label="Decisions"
              total={shown.length}
              rowHeight={ROW_HEIGHT}
              load={load}
              rowClass="decision-row"
              header={<Header />}
              row={(decision) => <Row {...{ decision, mayWrite }} />}
              open={(decision) => visit(placeOf(decision))}
            />
          )}
        </>
      )}
    </Page>
  );
}

function Header() {
  return (
    <>
      {["One", "Other", "Verdict", "By", "When", "Action"].map((title) => (
        <Cell key={title} head>
          {title}
        </Cell>
      ))}
    </>
  );
}

function Row({ decision, mayWrite }: { decision: Decision; mayWrite: boolean }) {
  const { duplicate, by, time } = decision;
  const [a, b] = sidesOf(decision);
  const [takeBack, busy] = useAction(() => decide(a, b, null, duplicate));
  return (
    <>
      <Cell>
        <Name {...a} title={titled(a, decision.a_title)} {...placeOf(decision)} tabIndex={-1} />
      </Cell>
      <Cell>
        <Name {...b} title={titled(b, decision.b_title)} {...placeOf(decision)} tabIndex={-1} />
      </Cell>
      <Cell>
        <span class={duplicate ? "tag good" : "tag bad"}>{duplicate ? "duplicates" : "not duplicates"}</span>
      </Cell>
      <Cell class="clip">{by}</Cell>
      <Cell class="clip">{moment(time)}</Cell>
      <Cell>
        {mayWrite && (
          <Button class="small" busy={busy} aria-label={`Take back: ${nameText(a)} and ${nameText(b)}`} onClick={takeBack}>
            Take back
          </Button>
        )}
      </Cell>
    </>
  );
}

/** With its name, because many have the same title. */
function titled(name: DocumentName, title: string | null | undefined): string | null {
  return title?.trim() ? `${title} (${nameText({ id: name.id, labels: name.labels })})` : null;
}

function placeOf(decision: Decision): Place {
  const { to, query } = toPair(...sidesOf(decision));
  return { to, query: { ...query, queue: "decisions" } };
}

/** The newest first. Every word must be part of a document's name or of the name of who decided. */
function matching(decisions: readonly Decision[], filter: string, verdict: string): Decision[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (decision: Decision) => {
    if (verdict !== "" && decision.duplicate !== (verdict === "duplicate")) return false;
    const texts = [...sidesOf(decision).map(nameText), decision.a_title ?? "", decision.b_title ?? "", decision.by].map((text) => text.toLowerCase());
    return words.every((word) => texts.some((text) => text.includes(word)));
  };
  return decisions.filter(fits).sort((one, other) => other.time - one.time);
}

function linesOf(decisions: readonly Decision[]): string {
  return decisions.map((decision) => `${toJson(decision)}\n`).join("");
}
