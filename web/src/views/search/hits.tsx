/** The hits of a search, of which one is chosen, and its near-duplicates. */

import { useEffect, useRef, useState } from "preact/hooks";

import { count, idText, plural, titleOf } from "../../lib/format";
import { useKeys } from "../../lib/keys";
import { setQueue } from "../../lib/pairs";
import { Link, go } from "../../lib/router";
import type { Hit, Id, NearDuplicate } from "../../lib/types";
import { Bar, Name } from "../../parts";
import { IdBelow } from "../../parts/name";
import { Snippet } from "../../parts/snippet";

interface HitsProps {
  hits: readonly Hit[];
  q: string;
  /** The members of one cluster are listed; it is named by this document. */
  cluster: string;
}

/** More are seen in the cluster's own view. */
const MEMBERS = 50;

export function Hits({ hits, q, cluster }: HitsProps) {
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLOListElement>(null);
  const hit = hits[Math.min(chosen, hits.length - 1)];

  const move = (step: number) => {
    const next = Math.min(Math.max(0, chosen + step), hits.length - 1);
    list.current?.children[next]?.querySelector("a")?.focus();
    setChosen(next);
  };
  useKeys(
    { j: () => move(1), k: () => move(-1), o: () => hit && go(["documents", hit.id]) },
    { "j / k": "Next or previous hit", o: "Open the document" },
  );
  useEffect(() => setChosen(0), [hits]);

  return (
    <div class="search-found">
      <ol ref={list} class="search-hits">
        {hits.map((one, place) => (
          <li
            key={place}
            class={one === hit ? "search-hit chosen" : "search-hit"}
            onFocusCapture={() => setChosen(place)}
            onClick={() => setChosen(place)}
          >
            <h2>
              <Name id={one.id} title={one.title} to={["documents", one.id]} />
            </h2>
            <Snippet text={one.snippet} ranges={one.marks} />
            <p class="row muted">
              {cluster === "" ? <Members hit={one} q={q} /> : <Compare hit={one} cluster={cluster} />}
            </p>
          </li>
        ))}
      </ol>
      {cluster === "" && hit && <NearDuplicates hit={hit} />}
    </div>
  );
}

function Members({ hit, q }: { hit: Hit; q: string }) {
  const others = hit.near_duplicates.length;
  if (others === 0) return <span>No near-duplicates</span>;
  return (
    <>
      <span>{plural(others, "near-duplicate")}</span>
      <span>
        {count(hit.matching)} of {count(others + 1)} match
      </span>
      <Link to="search" query={{ q, cluster: String(hit.id) }}>
        Show members
      </Link>
      <Link to={["clusters", hit.id]}>Cluster</Link>
    </>
  );
}

function Compare({ hit, cluster }: { hit: Hit; cluster: string }) {
  if (String(hit.id) === cluster) return <span>The cluster is named by this document</span>;
  return <Link to={["pairs", cluster, hit.id]}>Compare with {cluster}</Link>;
}

function NearDuplicates({ hit }: { hit: Hit }) {
  const members = hit.near_duplicates;
  const pairs = members.map((member) => [hit.id, member.id] as const);
  const begin = () => setQueue(pairs, `Near-duplicates of ${titleOf(hit)}`);
  return (
    <section class="card search-near" aria-label="Near-duplicates of the chosen hit">
      <h2>Near-duplicates</h2>
      <p class="muted name" dir="auto" title={String(hit.id)}>
        of {titleOf(hit)}
      </p>
      {members.length === 0 && <p class="muted">Nothing in the index is like it.</p>}
      <ul>
        {members.slice(0, MEMBERS).map((member) => (
          <li key={member.id}>
            <div>
              <PairLink a={hit.id} b={member} begin={begin} />
              <IdBelow {...member} />
            </div>
            <Bar value={member.similarity} />
          </li>
        ))}
      </ul>
      {members.length > MEMBERS && <Link to={["clusters", hit.id]}>All {plural(members.length + 1, "member")}</Link>}
    </section>
  );
}

function PairLink({ a, b, begin }: { a: Id; b: NearDuplicate; begin: () => void }) {
  return (
    <Link
      class="name"
      dir="auto"
      title={`Compare with ${idText(b.id)}`}
      to={["pairs", a, b.id]}
      query={{ queue: "search" }}
      onClick={begin}
    >
      {titleOf(b)}
    </Link>
  );
}
