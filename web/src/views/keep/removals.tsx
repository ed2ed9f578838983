import { useAction } from "../../lib/action";
import { refreshAll, useData } from "../../lib/data";
import { count, moment, nameText, plural } from "../../lib/format";
import { nameKey, nameOf } from "../../lib/names";
import { toDocument } from "../../lib/places";
import { Link } from "../../lib/router";
import { done } from "../../lib/undo";
import type { Refused, Removal, Removals as RemovalList } from "../../lib/types";
import { Button, type Column, Failed, Loading, Table } from "../../parts";
import { putBack } from "./put-back";

/** Documents that are named at once; nobody reads thousands. */
const NAMED = 100;
/** So few are shown without a click. */
const FEW = 3;

/** What was removed so far, each time with a way back. */
export function Removals() {
  const { data, error, loading, reload } = useData<RemovalList>("/api/removals");
  const columns: Column<Removal>[] = [
    { title: "No.", heading: true, number: true, sort: (row) => row.removal, cell: (row) => row.removal },
    { title: "When", class: "when", sort: (row) => row.time, cell: (row) => moment(row.time) },
    { title: "By", cell: (row) => row.by },
    { title: "Rules", cell: (row) => (row.keep ? <code>{row.keep}</code> : <span class="muted">the index's own</span>) },
    { title: "Filter", cell: (row) => (row.filter ? <code dir="auto">{row.filter}</code> : <span class="muted">none</span>) },
    { title: "Documents", number: true, sort: (row) => row.documents, cell: (row) => count(row.documents) },
    { title: "State", class: "keep-state", cell: (row) => <State removal={row} /> },
  ];
  return (
    <section class="card no-print">
      <h2>Removals</h2>
      {error && <Failed error={error} retry={reload} />}
      {data === undefined && loading && <Loading lines={3} />}
      {data?.removals.length === 0 && <p class="muted">Nothing was removed so far.</p>}
      {data !== undefined && data.removals.length > 0 && (
        <Table
          caption="Removals"
          columns={columns}
          rows={data.removals.toSorted((one, other) => other.removal - one.removal)}
          rowKey={(row) => row.removal}
        />
      )}
    </section>
  );
}

function State({ removal }: { removal: Removal }) {
  const [undo, busy] = useAction(async () => {
    done(`Put back ${plural(await putBack(removal.removal), "document")}`);
    refreshAll();
  });
  return (
    <>
      {removal.undone ? (
        <span class="tag">put back</span>
      ) : (
        <div class="row">
          <Button class="small" busy={busy} aria-label={`Put back removal ${removal.removal}`} onClick={undo}>
            Put back
          </Button>
          {!removal.complete && <span class="tag warn">not finished</span>}
        </div>
      )}
      <Left what="stayed" documents={removal.refused} />
      <Left what="not put back" documents={removal.not_restored} />
    </>
  );
}

/** Documents that a removal or its undoing left as they are, and why. */
function Left({ what, documents = [] }: { what: string; documents?: readonly Refused[] }) {
  if (documents.length === 0) return null;
  return (
    <details open={documents.length <= FEW}>
      <summary>
        {plural(documents.length, "document")} {what}
      </summary>
      <ul>
        {documents.slice(0, NAMED).map((one) => (
          <li key={nameKey(one)}>
            <Link {...toDocument(nameOf(one))} dir="auto">
              {nameText(one)}
            </Link>
            : {one.reason}
          </li>
        ))}
      </ul>
      {documents.length > NAMED && <p class="muted">and {count(documents.length - NAMED)} more</p>}
    </details>
  );
}
