import { useAction } from "../../lib/action";
import { useMay } from "../../lib/data";
import { type Verdict, decide, prefer } from "../../lib/decide";
import { bytes, date, idKey, idText, titleOf } from "../../lib/format";
import { Link } from "../../lib/router";
import type { ClusterMap, Id, MapMember } from "../../lib/types";
import { Bar, Button, type Column, Name, Table } from "../../parts";

interface MembersProps {
  map: ClusterMap;
  selected: readonly Id[];
  select: (member: Id) => void;
  verdict: (a: Id, b: Id) => Verdict;
}

interface Numbered extends MapMember {
  number: number;
}

export function Members({ map, selected, select, verdict }: MembersProps) {
  const master = map.members[0];
  const mayWrite = useMay("write");
  if (master === undefined) return null;
  const rows = map.members.map((member, place) => ({ ...member, number: place + 1 }));
  const within = { in: idText(map.cluster) };
  const columns: Column<Numbered>[] = [
    {
      title: "Compare",
      cell: (row) => (
        <input
          type="checkbox"
          aria-label={`Select ${titleOf(row)} for a comparison`}
          checked={selected.includes(row.id)}
          onChange={() => select(row.id)}
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
          title={row.title}
          to={row === rows[0] ? ["documents", row.id] : ["pairs", master.id, row.id]}
          query={row === rows[0] ? undefined : within}
        />
      ),
    },
    {
      title: "Like the master",
      sort: (row) => row.similarity,
      number: true,
      cell: (row) => (row === rows[0] ? <span class="tag good">Master</span> : <Bar value={row.similarity} />),
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
      <Table caption="Members of the cluster" columns={columns} rows={rows} rowKey={(row) => idKey(row.id)} />
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
  verdict: (a: Id, b: Id) => Verdict;
}

function Actions({ member, master, isMaster, mayWrite, verdict }: ActionsProps) {
  const [keep, keeping] = useAction(() => prefer(member.id, !member.kept));
  const before = verdict(master.id, member.id);
  const [part, parting] = useAction(() => decide(master.id, member.id, false, before));
  const name = titleOf(member);
  return (
    <div class="row actions">
      <Link to={["documents", member.id]} aria-label={`Open: ${name}`}>
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
