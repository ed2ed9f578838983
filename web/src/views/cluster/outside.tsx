import { useAction } from "../../lib/action";
import { useMay } from "../../lib/data";
import { type Verdicts, decide } from "../../lib/decide";
import { titleOf } from "../../lib/format";
import { type DocumentName, masterOfMap, nameKey, nameOf } from "../../lib/names";
import { toCluster, toPair } from "../../lib/places";
import { Link } from "../../lib/router";
import type { ClusterMap, Outside } from "../../lib/types";
import { Bar, Button, type Column, Name, Table } from "../../parts";

interface OutsideProps {
  map: ClusterMap;
  verdicts: Verdicts;
}

/** Documents that resemble a member and do not belong to the cluster: likely misses. */
export function OutsideDocuments({ map, verdicts }: OutsideProps) {
  const mayDecide = useMay("reviewer");
  const columns: Column<Outside>[] = [
    {
      title: "Document",
      heading: true,
      class: "wide",
      sort: (row) => titleOf(row),
      cell: (row) => (
        <Name
          id={row.id}
          labels={row.labels}
          title={row.title}
          {...toPair(beside(map, row), nameOf(row), masterOfMap(map))}
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
          <Link
            {...toCluster(nameOf({ id: row.cluster, labels: row.cluster_labels }))}
            aria-label={`Open the cluster of ${titleOf(row)}`}
          >
            Open
          </Link>
        ),
    },
  ];
  if (mayDecide) {
    columns.push({ title: "Decide", cell: (row) => <Decide row={row} member={beside(map, row)} verdicts={verdicts} /> });
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
          rowKey={nameKey}
        />
      )}
    </section>
  );
}

/** The member that the document resembles most. */
function beside(map: ClusterMap, row: Outside): DocumentName {
  const member = map.members[row.beside];
  return member === undefined ? masterOfMap(map) : nameOf(member);
}

interface DecideProps {
  row: Outside;
  member: DocumentName;
  verdicts: Verdicts;
}

function Decide({ row, member, verdicts }: DecideProps) {
  const before = verdicts.verdict(member, nameOf(row));
  const [set, busy] = useAction((duplicate: boolean) =>
    // A second press takes the decision back.
    decide(member, nameOf(row), duplicate === before ? null : duplicate, verdicts.own(member, nameOf(row))),
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
