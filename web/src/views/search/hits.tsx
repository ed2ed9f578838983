/** The hits of a search, of which one is chosen, and its near-duplicates. */

import { useEffect, useRef, useState } from "preact/hooks";

import { count, nameText, plural, titleOf } from "../../lib/format";
import { useKeys } from "../../lib/keys";
import { type DocumentName, isMeant, nameKey, nameOf } from "../../lib/names";
import { setQueue } from "../../lib/pairs";
import { toCluster, toDocument, toMembers, toPair } from "../../lib/places";
import { Link, visit } from "../../lib/router";
import type { Hit, NearDuplicate } from "../../lib/types";
import { Bar, Name } from "../../parts";
import { NameBelow } from "../../parts/name";
import { Snippet } from "../../parts/snippet";

interface HitsProps {
  hits: readonly Hit[];
  q: string;
  /** The members of one cluster are listed; it is named by this document. */
  cluster: DocumentName | null;
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
    { j: () => move(1), k: () => move(-1), o: () => hit && visit(toDocument(nameOf(hit))) },
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
              <Name id={one.id} labels={one.labels} title={one.title} {...toDocument(nameOf(one))} />
            </h2>
            <Snippet text={one.snippet} ranges={one.marks} />
            <p class="row muted">
              {cluster === null ? <Members hit={one} q={q} /> : <Compare hit={one} cluster={cluster} />}
            </p>
          </li>
        ))}
      </ol>
      {cluster === null && hit && <NearDuplicates hit={hit} />}
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
      <Link {...toMembers(nameOf(hit), { q })}>Show members</Link>
      <Link {...toCluster(nameOf(hit))}>Cluster</Link>
    </>
  );
}

function Compare({ hit, cluster }: { hit: Hit; cluster: DocumentName }) {
  const name = nameOf(hit);
  if (isMeant(cluster, name)) return <span>The cluster is named by this document</span>;
  return <Link {...toPair(cluster, name)}>Compare with {nameText(cluster)}</Link>;
}

function NearDuplicates({ hit }: { hit: Hit }) {
  const members = hit.near_duplicates;
  const pairs = members.map((member) => [nameOf(hit), nameOf(member)] as const);
  const begin = () => setQueue(pairs, `Near-duplicates of ${titleOf(hit)}`);
  return (
    <section class="card search-near" aria-label="Near-duplicates of the chosen hit">
      <h2>Near-duplicates</h2>
      <p class="muted name" dir="auto" title={nameText(hit)}>
        of {titleOf(hit)}
      </p>
      {members.length === 0 && <p class="muted">Nothing in the index is like it.</p>}
      <ul>
        {members.slice(0, MEMBERS).map((member) => (
          <li key={nameKey(member)}>
            <div>
              <PairLink a={nameOf(hit)} b={member} begin={begin} />
              <NameBelow {...member} />
            </div>
            <Bar value={member.similarity} />
          </li>
        ))}
      </ul>
      {members.length > MEMBERS && <Link {...toCluster(nameOf(hit))}>All {plural(members.length + 1, "member")}</Link>}
    </section>
  );
}

function PairLink({ a, b, begin }: { a: DocumentName; b: NearDuplicate; begin: () => void }) {
  const { to, query } = toPair(a, nameOf(b));
  return (
    <Link
      class="name"
      dir="auto"
      title={`Compare with ${nameText(b)}`}
      to={to}
      query={{ ...query, queue: "search" }}
      onClick={begin}
    >
      {titleOf(b)}
    </Link>
  );
}
