import { useAction } from "../../lib/action";
import { post } from "../../lib/api";
import { refreshAll, useData } from "../../lib/data";
import { count, moment, plural } from "../../lib/format";
import { done } from "../../lib/undo";
import type { Removal, Removals as RemovalList } from "../../lib/types";
import { Button, type Column, Failed, Loading, Table } from "../../parts";

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
    { title: "State", cell: (row) => <State removal={row} /> },
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
  const [putBack, busy] = useAction(async () => {
    const { documents } = await post<{ documents: number }>(`/api/removals/${removal.removal}/undo`, {});
    done(`Put back ${plural(documents, "document")}`);
    refreshAll();
  });
  if (removal.undone) return <span class="tag">put back</span>;
  return (
    <div class="row">
      <Button class="small" busy={busy} aria-label={`Put back removal ${removal.removal}`} onClick={putBack}>
        Put back
      </Button>
      {!removal.complete && <span class="tag warn">not finished</span>}
    </div>
  );
}
