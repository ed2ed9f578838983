/** Full-text search: each cluster is one hit, with its near-duplicates beside it. */

import { useEffect, useRef, useState } from "preact/hooks";

import "../style/search.css";
import { type Query, withQuery } from "../lib/api";
import { useData, useSearchAwaited } from "../lib/data";
import { count, nameText, plural } from "../lib/format";
import { useKeys } from "../lib/keys";
import { type DocumentName, labelsText } from "../lib/names";
import { membersQuery, nameIn, toMembers } from "../lib/places";
import { Link, type ViewProps, go } from "../lib/router";
import type { SearchResult } from "../lib/types";
import { Button, Empty, Field, Hint, Loading, Page, Refused } from "../parts";
import { Facets } from "./search/facets";
import { filterText, filtersOf } from "./search/filters";
import { Hits } from "./search/hits";

const LIMIT = 20;
const TYPING_MILLISECONDS = 250;

export default function Search(route: ViewProps) {
  const { query } = route;
  const q = query.get("q") ?? "";
  const filter = query.get("filter") ?? "";
  const id = query.get("cluster") ?? "";
  /** Only the members of its cluster are wanted. */
  const cluster = id === "" ? null : nameIn(route, id, "cluster_labels");
  const offset = Math.max(0, Number.parseInt(query.get("offset") ?? "0", 10) || 0);
  // Those that this service counts by. Hits are of use without them, too.
  const known = useData<{ facets: string[] }>("/api/stats");
  const facets = known.data?.facets.join(",") ?? "";
  const wanted = q.trim() !== "" || filter !== "" || cluster !== null;
  const members = { cluster: id, cluster_labels: labelsText(cluster?.labels) };
  const path = withQuery("/api/search", { q, filter, ...members, offset, limit: LIMIT, facets, collapse: cluster === null });
  const answer = useData<SearchResult>(wanted && (known.data !== undefined || known.error !== undefined) ? path : null);
  const { data, error, loading, reload } = answer;
  const notReady = useSearchAwaited(answer);
  const within = cluster === null ? {} : membersQuery(cluster);
  const show = (change: Query, replace = false) => go(["search"], { q, filter, ...within, offset: null, ...change }, replace);

  return (
    <Page title="Search" actions={data && <span aria-live="polite">{totalText(data.total, cluster)}</span>}>
      <SearchField q={q} show={(text, replace) => show({ q: text }, replace)} />
      {cluster !== null && (
        <p class="row">
          <span class="tag">
            Members of the cluster of <span dir="auto">{nameText(cluster)}</span>
          </span>
          <Link to="search" query={{ q, filter }}>
            Search everywhere
          </Link>
        </p>
      )}
      {notReady && (
        <p class="card" role="status">
          The search index is being made. The hits come by themselves as soon as it is ready.
        </p>
      )}
      {error && !notReady && (
        <Refused error={error} retry={reload} choose={(labels) => toMembers({ id, labels }, { q, filter })} />
      )}
      {!wanted && (
        <Empty title="Nothing is asked yet.">Write some words. Documents that are alike are shown once, with the others beside them.</Empty>
      )}
      {wanted && data === undefined && (loading || known.loading) && !notReady && <Loading lines={12} />}
      {data?.total === 0 && <Empty title="Nothing was found.">Use fewer words, or take a filter away.</Empty>}
      {data !== undefined && (data.total > 0 || filter !== "") && (
        <div class="search-page">
          <section aria-label="Filters">
            <Facets facets={data.facets} filters={filtersOf(filter)} show={(filters) => show({ filter: filterText(filters) })} />
          </section>
          <div>
            {data.hits.length > 0 && <Hits hits={data.hits} q={q} cluster={cluster} />}
            <Paging total={data.total} offset={offset} show={(next) => show({ offset: next === 0 ? null : next })} />
          </div>
        </div>
      )}
    </Page>
  );
}

function SearchField({ q, show }: { q: string; show: (text: string, replace: boolean) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const typing = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [text, setText] = useState(q);
  const latest = useRef(show);
  latest.current = show;
  // The address may change by the browser's history, but not under the reader's hands.
  useEffect(() => {
    if (document.activeElement !== input.current) setText(q);
  }, [q]);
  useEffect(() => () => clearTimeout(typing.current), []);
  useKeys({ "/": () => input.current?.focus() }, { "/": "Search" });
  return (
    <form
      class="search-form"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        clearTimeout(typing.current);
        show(text.trim(), text.trim() === q);
      }}
    >
      <Field label="Search" hideLabel class="search-field">
        {(field) => (
          <input
            {...field}
            ref={input}
            type="search"
            dir="auto"
            placeholder="Words, “phrases”, -without, title:word"
            value={text}
            onInput={(event) => {
              const value = event.currentTarget.value;
              setText(value);
              clearTimeout(typing.current);
              typing.current = setTimeout(() => latest.current(value.trim(), true), TYPING_MILLISECONDS);
            }}
          />
        )}
      </Field>
      <Button type="submit" kind="primary">
        Search
      </Button>
      <QueryHelp />
    </form>
  );
}

function QueryHelp() {
  const examples: [string, string][] = [
    ["ferry delay", "both words, in any order"],
    ['"ferry delay"', "one after the other"],
    ["ferry OR boat delay", "delay, and one of the other two"],
    ["ferry -delay", "the first without the second"],
    ["title:ferry", "in the title; also url: and every filter"],
  ];
  return (
    <Hint label="Help">
      <dl class="keys">
        {examples.map(([example, finds]) => (
          <div key={example}>
            <dt>
              <code>{example}</code>
            </dt>
            <dd>{finds}</dd>
          </div>
        ))}
      </dl>
    </Hint>
  );
}

interface PagingProps {
  total: number;
  offset: number;
  show: (offset: number) => void;
}

function Paging({ total, offset, show }: PagingProps) {
  if (total <= LIMIT && offset === 0) return null;
  const last = Math.min(total, offset + LIMIT);
  return (
    <nav class="row search-paging" aria-label="Pages">
      <Button disabled={offset === 0} onClick={() => show(Math.max(0, offset - LIMIT))}>
        Previous
      </Button>
      <span>
        {count(Math.min(offset + 1, total))} to {count(last)} of {count(total)}
      </span>
      <Button disabled={last >= total} onClick={() => show(offset + LIMIT)}>
        Next
      </Button>
    </nav>
  );
}

function totalText(total: number, cluster: DocumentName | null): string {
  return cluster === null ? plural(total, "hit") : plural(total, "document");
}
