import { useAction } from "../../lib/action";
import { useMay } from "../../lib/data";
import { type Verdict, decide } from "../../lib/decide";
import { idKey, idText, titleOf } from "../../lib/format";
import { Link } from "../../lib/router";
import type { ClusterMap, Id, Outside } from "../../lib/types";
import { Bar, Button, type Column, Name, Table } from "../../parts";

interface OutsideProps {
  map: ClusterMap;
  verdict: (a: Id, b: Id) => Verdict;
}

/** Documents that resemble a member and do not belong to the cluster: likely misses. */
export function OutsideDocuments({ map, verdict }: OutsideProps) {
  const mayWrite = useMay("write");
  const columns: Column<Outside>[] = [
    {
      title: "Document",
      heading: true,
      class: "wide",
      sort: (row) => titleOf(row),
      cell: (row) => (
        <Name
          id={row.id}
          title={row.title}
          to={["pairs", beside(map, row), row.id]}
          query={{ in: idText(map.cluster) }}
        />
      ),
    },
    { title: "Similarity", number: true, sort: (row) => row.similarity, cell: (row) => <Bar value={row.similarity} /> },
    { title: "To member", number: true, sort: (row) => row.beside, cell: (row) => row.beside + 1 },
    {
      title: "Its cluster",
      cell: (row) =>
        row.cluster === null ? (
          <span class="muted">none</span>
        ) : (
          <Link to={["clusters", row.cluster]} aria-label={`Open the cluster of ${titleOf(row)}`}>
            Open
          </Link>
        ),
    },
  ];
  if (mayWrite) {
    columns.push({ title: "Decide", cell: (row) => <Decide row={row} member={beside(map, row)} verdict={verdict} /> });
  }
  return (
    <section class="card">
      <h2>Just outside</h2>
      {map.outside.length === 0 ? (
        <p class="muted">No other document comes close to this cluster.</p>
      ) : (
        <Table
          caption="Documents just outside the cluster"
          columns={columns}
          rows={map.outside}
          rowKey={(row) => idKey(row.id)}
        />
      )}
    </section>
  );
}

/** The member that the document resembles most. */
function beside(map: ClusterMap, row: Outside): Id {
  return map.members[row.beside]?.id ?? map.cluster;
}

interface DecideProps {
  row: Outside;
  member: Id;
  verdict: (a: Id, b: Id) => Verdict;
}

function Decide({ row, member, verdict }: DecideProps) {
  const before = verdict(member, row.id);
  const [set, busy] = useAction((duplicate: boolean) =>
    // A second press takes the decision back.
    decide(member, row.id, duplicate === before ? null : duplicate, before),
  );
  const name = titleOf(row);
  return (
    <div class="row actions">
      <Button class="small" busy={busy} aria-pressed={before === true} aria-label={`Duplicate: ${name}`} onClick={() => set(true)}>
        Duplicate
      </Button>
      <Button
        class="small"
        busy={busy}
        aria-pressed={before === false}
        aria-label={`Not a duplicate: ${name}`}
        onClick={() => set(false)}
      >
        Not a duplicate
      </Button>
    </div>
  );
}
