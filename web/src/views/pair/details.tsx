import { addressesOf, fieldText } from "../../lib/fields";
import { moment, nameText, plural } from "../../lib/format";
import { masterOfStored } from "../../lib/names";
import type { Stored } from "../../lib/types";
import { type Column, Table } from "../../parts";
import { Outward } from "../../parts/outward";
import type { PairData } from "./load";

interface FieldRow {
  name: string;
  left: string | undefined;
  right: string | undefined;
}

/** Texts and lists have places of their own. */
const ELSEWHERE = ["text", "links", "images"];
const MOST_LISTED = 200;

const columns: Column<FieldRow>[] = [
  { title: "Field", heading: true, sort: (row) => row.name, cell: (row) => row.name },
  { title: "Left", class: "field-value", cell: (row) => <Value value={row.left} /> },
  { title: "Right", class: "field-value", cell: (row) => <Value value={row.right} /> },
  { title: "Agreement", sort: agreement, cell: (row) => <Agreement row={row} /> },
];

/** All fields of both, and the links and images that they share. */
export function Details({ data: { left, right } }: { data: PairData }) {
  return (
    <div class="pair-scroll">
      <section class="card">
        <h2>Fields</h2>
        <Table caption="Fields of both documents" columns={columns} rows={rowsOf(left, right)} rowKey={(row) => row.name} />
      </section>
      <Shared title="Links" one="link" left={left.document.links} right={right.document.links} />
      <Shared title="Images" one="image" left={left.document.images} right={right.document.images} />
    </div>
  );
}

function rowsOf(left: Stored, right: Stored): FieldRow[] {
  const [inLeft, inRight] = [left.document, right.document];
  const names = [...new Set([...Object.keys(inLeft), ...Object.keys(inRight)])].filter((name) => !ELSEWHERE.includes(name));
  const value = (document: Stored["document"], name: string) => (Object.hasOwn(document, name) ? fieldText(document[name]) : undefined);
  const own = names.map((name) => ({ name, left: value(inLeft, name), right: value(inRight, name) }));
  const known: [string, (stored: Stored) => string | undefined][] = [
    ["cluster", clusterText],
    ["added", (stored) => moment(stored.added)],
    ["last seen", (stored) => moment(stored.seen)],
    ["expires", (stored) => (stored.expires === undefined ? undefined : moment(stored.expires))],
    ["hits", (stored) => fieldText(stored.hits)],
  ];
  const ofIndex = known.map(([name, tell]) => ({ name: `${name} (index)`, left: tell(left), right: tell(right) }));
  return [...own, ...ofIndex].filter((row) => row.left !== undefined || row.right !== undefined);
}

function clusterText(stored: Stored): string | undefined {
  const master = masterOfStored(stored);
  return master === null ? undefined : nameText(master);
}

function Value({ value }: { value: string | undefined }) {
  if (value === undefined) return <span class="muted">absent</span>;
  return <span dir="auto">{value}</span>;
}

function agreement({ left, right }: FieldRow): string {
  if (left === right) return "same";
  if (left === undefined) return "right only";
  return right === undefined ? "left only" : "differs";
}

function Agreement({ row }: { row: FieldRow }) {
  const text = agreement(row);
  return <span class={text === "same" ? "tag good" : text === "differs" ? "tag warn" : "tag"}>{text}</span>;
}

interface SharedProps {
  title: string;
  one: string;
  left: unknown;
  right: unknown;
}

/** Addresses that both documents hold. */
function Shared({ title, one, left, right }: SharedProps) {
  const [ofLeft, ofRight] = [addressesOf(left), addressesOf(right)];
  if (ofLeft.length === 0 && ofRight.length === 0) return null;
  const known = new Set(ofRight);
  const both = ofLeft.filter((address) => known.has(address));
  return (
    <section class="card">
      <h2>{title}</h2>
      <p class="muted">
        {plural(both.length, one)} in both; {plural(ofLeft.length - both.length, one)} only left,{" "}
        {plural(ofRight.length - both.length, one)} only right.
      </p>
      <ul class="addresses">
        {both.slice(0, MOST_LISTED).map((address) => (
          <li key={address}>
            <Outward url={address} />
          </li>
        ))}
      </ul>
      {both.length > MOST_LISTED && <p class="muted">The first {MOST_LISTED} are shown.</p>}
    </section>
  );
}
