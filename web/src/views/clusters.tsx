/** All clusters: filtered, sorted, however many. */

import { useCallback, useMemo } from "preact/hooks";

import { ApiError, get, withQuery } from "../lib/api";
import { useData, useSearchAwaited } from "../lib/data";
import { count, date, plural, sentence } from "../lib/format";
import { nameOf } from "../lib/names";
import { toCluster } from "../lib/places";
import { type ViewProps, go, visit } from "../lib/router";
import type { ClusterTable, ClusterRow } from "../lib/types";
import { Bar, Cell, Empty, Failed, Field, Loading, Name, Page, VirtualList } from "../parts";
import { FilterField } from "../parts/filter-field";
import { FilterHelp } from "./clusters/filter-help";

interface Order {
  label: string;
  sort: string;
  descending: boolean;
}

const LARGEST: Order = { label: "Largest first", sort: "size", descending: true };
const orders: Record<string, Order> = {
  size: LARGEST,
  smallest: { label: "Smallest first", sort: "size", descending: false },
  weakest: { label: "Weakest link first", sort: "weakest", descending: false },
  strongest: { label: "Strongest first", sort: "weakest", descending: true },
  median: { label: "Lowest median first", sort: "median", descending: false },
  newest: { label: "Newest first", sort: "newest", descending: true },
  oldest: { label: "Oldest first", sort: "oldest", descending: false },
};

const ROW_HEIGHT = 44;
const PAGE = 100;

export default function Clusters({ query }: ViewProps) {
  const filter = query.get("filter") ?? "";
  const sort = query.get("sort") ?? "size";
  const order = (Object.hasOwn(orders, sort) ? orders[sort] : undefined) ?? LARGEST;

  const path = useCallback(
    (offset: number, limit: number) =>
      withQuery("/api/survey/clusters", { filter, sort: order.sort, descending: order.descending, offset, limit }),
    [filter, order],
  );
  const answer = useData<ClusterTable>(path(0, PAGE));
  const { data, error, loading, reload } = answer;
  useSearchAwaited(answer);
  const wrongFilter = error instanceof ApiError && error.status === 400 ? sentence(error.message) : undefined;
  // Another first page is another list, even of the same path: something was changed. While the answer to a new filter is
  // awaited, the list goes on with the old one.
  const load = useCallback(
    async (offset: number, limit: number) => {
      const first = offset === 0 ? data : undefined;
      return (first ?? (await get<ClusterTable>(path(offset, limit)))).clusters;
    },
    [data],
  );
  const list = useMemo(() => `clusters ${filter} ${sort}`, [data]);
  const show = (change: { filter?: string; sort?: string }) => go(["clusters"], { filter, sort: query.get("sort"), ...change }, true);

  return (
    <Page title="Clusters" fill actions={data && <span aria-live="polite">{plural(data.total, "cluster")}</span>}>
      <Controls filter={filter} sort={sort} wrong={wrongFilter} show={show} />
      {error && wrongFilter === undefined && <Failed error={error} retry={reload} />}
      {data === undefined && loading && <Loading lines={12} />}
      {data?.total === 0 && !error && <NoClusters filtered={filter !== ""} />}
      {data !== undefined && data.total > 0 && (
        <VirtualList
          key={list}
          memory={list}
          label="Clusters"
          total={data.total}
          rowHeight={ROW_HEIGHT}
          load={load}
          rowClass="cluster-row"
          header={<Header />}
          row={Row}
          open={(row) => visit(placeOf(row))}
        />
      )}
    </Page>
  );
}

interface ControlsProps {
  filter: string;
  sort: string;
  wrong: string | undefined;
  show: (change: { filter?: string; sort?: string }) => void;
}

function Controls({ filter, sort, wrong, show }: ControlsProps) {
  return (
    <form class="cluster-controls" role="search" onSubmit={(event) => event.preventDefault()}>
      <FilterField
        placeholder="Filter: words, size:>3, sim:<0.9, type:pdf …"
        value={filter}
        set={(typed) => show({ filter: typed })}
        error={wrong}
      />
      <FilterHelp />
      <Field label="Order" hideLabel>
        {(field) => (
          <select {...field} value={sort} onChange={(event) => show({ sort: event.currentTarget.value })}>
            {Object.entries(orders).map(([name, { label }]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
    </form>
  );
}

function Header() {
  return (
    <>
      <Cell head>Shown by</Cell>
      <Cell head class="number">
        Size
      </Cell>
      <Cell head>Weakest</Cell>
      <Cell head>Median</Cell>
      <Cell head>Types</Cell>
      <Cell head>Dates</Cell>
      <Cell head>Decided</Cell>
    </>
  );
}

function Row(row: ClusterRow) {
  return (
    <>
      <Cell>
        <Name id={row.cluster} labels={row.labels} title={row.title} {...placeOf(row)} tabIndex={-1} />
      </Cell>
      <Cell class="number">{count(row.size)}</Cell>
      <Cell>
        <Bar value={row.weakest} />
      </Cell>
      <Cell>
        <Bar value={row.median} />
      </Cell>
      <Cell class="clip">{row.types.map(([type, number]) => `${type} ${count(number)}`).join(", ")}</Cell>
      <Cell class="clip">{dates(row)}</Cell>
      <Cell>{row.decided > 0 && <span class="tag good">{plural(row.decided, "pair")}</span>}</Cell>
    </>
  );
}

function placeOf({ cluster, labels }: ClusterRow) {
  return toCluster(nameOf({ id: cluster, labels }));
}

function dates({ first, last }: ClusterRow): string {
  const [from, to] = [date(first), date(last)];
  return from === to ? from : `${from} – ${to}`;
}

function NoClusters({ filtered }: { filtered: boolean }) {
  if (filtered) return <Empty title="No cluster matches this filter.">Take a part of it away, or see the help beside it.</Empty>;
  return (
    <Empty title="Nothing here yet: no two documents are alike.">
      Clusters appear here as soon as a document resembles another one.
    </Empty>
  );
}
