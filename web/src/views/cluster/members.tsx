import { useAction } from "../../lib/action";
import { useMay } from "../../lib/data";
import { type VerdictOf, decide, prefer } from "../../lib/decide";
import { bytes, date, titleOf } from "../../lib/format";
import { type DocumentName, isSame, masterOfMap, nameKey, nameOf } from "../../lib/names";
import { toDocument, toPair } from "../../lib/places";
import { Link } from "../../lib/router";
import type { ClusterMap, MapMember } from "../../lib/types";
import { Bar, Button, type Column, Contradiction, Name, Table } from "../../parts";

interface MembersProps {
  map: ClusterMap;
  selected: readonly DocumentName[];
  select: (member: DocumentName) => void;
  verdict: VerdictOf;
}

interface Numbered extends MapMember {
  number: number;
}

export function Members({ map, selected, select, verdict }: MembersProps) {
  const master = map.members[0];
  const mayWrite = useMay("write");
  if (master === undefined) return null;
  const rows = map.members.map((member, place) => ({ ...member, number: place + 1 }));
  const cluster = masterOfMap(map);
  const columns: Column<Numbered>[] = [
    {
      title: "Compare",
      cell: (row) => (
        <input
          type="checkbox"
          aria-label={`Select ${titleOf(row)} for a comparison`}
          checked={selected.some((chosen) => isSame(chosen, nameOf(row)))}
          onChange={() => select(nameOf(row))}
        />
      ),
    },
    { title: "No.", number: true, sort: (row) => row.number, cell: (row) => row.number },
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
          {...(row === rows[0] ? toDocument(nameOf(row)) : toPair(cluster, nameOf(row), cluster))}
        />
      ),
    },
    {
      title: "Like the master",
      sort: (row) => row.similarity,
      number: true,
      cell: (row) => (row === rows[0] ? <span class="tag good">Master</span> : <Bar value={row.similarity} />),
    },
    {
      title: "Differs in",
      class: "short",
      sort: (row) => row.difference?.join(", ") ?? "",
      cell: (row) => (
        <>
          {row.difference?.join(", ")} <Contradiction streams={row.streams} />
        </>
      ),
    },
    { title: "Type", class: "short", sort: (row) => row.type, cell: (row) => row.type },
    { title: "Source", class: "short", sort: (row) => row.source, cell: (row) => <Source name={row.source} /> },
    { title: "Date", class: "short", sort: (row) => row.time, cell: (row) => date(row.time) },
    { title: "Size", number: true, sort: (row) => row.bytes, cell: (row) => bytes(row.bytes) },
    {
      title: "Actions",
      cell: (row) => <Actions member={row} isMaster={row === rows[0]} {...{ master, mayWrite, verdict }} />,
    },
  ];
  return (
    <section class="card">
      <h2>Members</h2>
      <Table caption="Members of the cluster" columns={columns} rows={rows} rowKey={(row) => nameKey(row)} />
    </section>
  );
}

function Source({ name }: { name: string | null }) {
  return (
    <span class="name" dir="auto" title={name ?? undefined}>
      {name}
    </span>
  );
}

interface ActionsProps {
  member: MapMember;
  master: MapMember;
  isMaster: boolean;
  mayWrite: boolean;
  verdict: VerdictOf;
}

function Actions({ member, master, isMaster, mayWrite, verdict }: ActionsProps) {
  const [own, other] = [nameOf(member), nameOf(master)];
  const [keep, keeping] = useAction(() => prefer(own, !member.kept));
  const before = verdict(other, own);
  const [part, parting] = useAction(() => decide(other, own, false, before));
  const name = titleOf(member);
  return (
    <div class="row actions">
      <Link {...toDocument(own)} aria-label={`Open: ${name}`}>
        Open
      </Link>
      {mayWrite && (
        <Button class="small" busy={keeping} aria-pressed={member.kept} aria-label={`Keep this one: ${name}`} onClick={keep}>
          Keep this one
        </Button>
      )}
      {mayWrite && !isMaster && (
        <Button class="small" busy={parting} aria-label={`Not a duplicate of the master: ${name}`} onClick={part}>
          Not a duplicate
        </Button>
      )}
      {before === true && <span class="tag good">Decided</span>}
    </div>
  );
}
