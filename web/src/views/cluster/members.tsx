import { useState } from "preact/hooks";

import { useAction } from "../../lib/action";
import { get } from "../../lib/api";
import { useMay } from "../../lib/data";
import { type Verdicts, decide, decideAll, prefer } from "../../lib/decide";
import { bytes, count, date, plural, titleOf } from "../../lib/format";
import { type DocumentName, clusterPath, isSame, masterOfMap, nameKey, nameOf } from "../../lib/names";
import { toDocument, toPair } from "../../lib/places";
import { Link } from "../../lib/router";
import type { Apart as ApartWords, ClusterMap, MapMember, MemberPage } from "../../lib/types";
import { Bar, Button, type Column, Contradiction, Name, Table } from "../../parts";
import { NameBelow } from "../../parts/name";

/** Members that are fetched at once. */
const PAGE = 200;

interface MembersProps {
  map: ClusterMap;
  selected: readonly DocumentName[];
  select: (member: DocumentName) => void;
  setSelected: (members: readonly DocumentName[]) => void;
  verdicts: Verdicts;
}

interface Numbered extends MapMember {
  number: number;
}

export function Members({ map, selected, select, setSelected, verdicts }: MembersProps) {
  const master = map.members[0];
  const mayKeep = useMay("write");
  const mayDecide = useMay("reviewer");
  if (master === undefined) return null;
  const { more, fetchMore, fetching } = useMore(map);
  const all = [...map.members, ...more];
  const rows = all.map((member, place) => ({ ...member, number: place + 1 }));
  const cluster = masterOfMap(map);
  const columns: Column<Numbered>[] = [
    {
      title: "Select",
      cell: (row) => (
        <input
          type="checkbox"
          aria-label={`Select ${titleOf(row)}`}
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
        <>
          <Name
            id={row.id}
            labels={row.labels}
            title={row.title}
            {...(row === rows[0] ? toDocument(nameOf(row)) : toPair(cluster, nameOf(row), cluster))}
          />
          <NameBelow id={row.id} labels={row.labels} title={row.title} />
        </>
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
          {row.copy && <span class="tag">copy</span>}
        </>
      ),
    },
    { title: "Instead of the master’s", class: "apart", sort: (row) => row.apart?.own ?? null, cell: (row) => row.apart && <Apart {...row.apart} /> },
    { title: "Type", class: "short", sort: (row) => row.type, cell: (row) => row.type },
    { title: "Source", class: "short", sort: (row) => row.source, cell: (row) => <Source name={row.source} /> },
    { title: "Date", class: "short", sort: (row) => row.time, cell: (row) => date(row.time) },
    { title: "Size", number: true, sort: (row) => row.bytes, cell: (row) => bytes(row.bytes) },
    {
      title: "Actions",
      cell: (row) => <Actions member={row} isMaster={row === rows[0]} {...{ master, mayKeep, mayDecide, verdicts }} />,
    },
  ];
  return (
    <section class="card">
      <h2>Members</h2>
      <Selection {...{ map, all, selected, setSelected, verdicts }} />
      <Table caption="Members of the cluster" columns={columns} rows={rows} rowKey={(row) => nameKey(row)} />
      {all.length < map.size && (
        <div class="row member-more">
          <span class="muted">
            {count(all.length)} of {count(map.size)} are shown.
          </span>
          <Button busy={fetching} onClick={fetchMore}>
            Show {count(Math.min(PAGE, map.size - all.length))} more
          </Button>
        </div>
      )}
    </section>
  );
}

/** The members after those of the map, as far as the reader asked for them. */
function useMore(map: ClusterMap) {
  const [held, hold] = useState<{ of: ClusterMap; more: readonly MapMember[] }>({ of: map, more: [] });
  const more = held.of === map ? held.more : [];
  const [fetchMore, fetching] = useAction(async () => {
    const offset = map.members.length + more.length;
    const page = await get<MemberPage>(clusterPath(masterOfMap(map), "/members", { offset, limit: PAGE }));
    hold({ of: map, more: [...more, ...page.members] });
  });
  return { more, fetchMore, fetching };
}

/** What stands in a document where the master has something else. */
function Apart({ own, masters }: ApartWords) {
  const text = own === "" ? `without “${masters}”` : own;
  return (
    <span class="name" dir="auto" title={own === "" ? text : `“${own}” instead of “${masters}”`}>
      {text}
    </span>
  );
}

interface SelectionProps {
  map: ClusterMap;
  /** Those that are shown. */
  all: readonly MapMember[];
  selected: readonly DocumentName[];
  setSelected: (members: readonly DocumentName[]) => void;
  verdicts: Verdicts;
}

/** What can be done with all that are selected. */
function Selection({ map, all, selected, setSelected, verdicts }: SelectionProps) {
  const mayDecide = useMay("reviewer");
  const master = masterOfMap(map);
  const others = selected.filter((member) => !isSame(member, master));
  const [decideOf, busy] = useAction(async (duplicate: boolean) => {
    await decideAll(master, others, duplicate, verdicts.own);
    setSelected([]);
  });
  if (!mayDecide) return null;
  return (
    <div class="row member-selection" role="group" aria-label="Selected members">
      <Button class="small" onClick={() => setSelected(all.slice(1).map(nameOf))}>
        Select all
      </Button>
      <Button class="small" disabled={selected.length === 0} onClick={() => setSelected([])}>
        Select none
      </Button>
      <Button class="small" disabled={others.length === 0} busy={busy} onClick={() => decideOf(true)}>
        Duplicates of the master
      </Button>
      <Button class="small" disabled={others.length === 0} busy={busy} onClick={() => decideOf(false)}>
        Not duplicates of the master
      </Button>
      <span class="muted" aria-live="polite">
        {others.length > 0 && `${plural(others.length, "document")} selected`}
      </span>
    </div>
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
  mayKeep: boolean;
  mayDecide: boolean;
  verdicts: Verdicts;
}

function Actions({ member, master, isMaster, mayKeep, mayDecide, verdicts }: ActionsProps) {
  const [own, other] = [nameOf(member), nameOf(master)];
  const [keep, keeping] = useAction(() => prefer(own, !member.kept));
  const isDecided = verdicts.verdict(other, own) === true;
  const [part, parting] = useAction(() => decide(other, own, false, verdicts.own(other, own)));
  const name = titleOf(member);
  return (
    <div class="row actions">
      <Link {...toDocument(own)} aria-label={`Open: ${name}`}>
        Open
      </Link>
      {mayKeep && (
        <Button class="small" busy={keeping} aria-pressed={member.kept} aria-label={`Keep this one: ${name}`} onClick={keep}>
          Keep this one
        </Button>
      )}
      {mayDecide && !isMaster && (
        <Button class="small" busy={parting} aria-label={`Not a duplicate of the master: ${name}`} onClick={part}>
          Not a duplicate
        </Button>
      )}
      {isDecided && <span class="tag good">Decided</span>}
    </div>
  );
}
