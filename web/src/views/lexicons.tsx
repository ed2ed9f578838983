/** Lexicons: in how many documents of a collection each word occurs. */

import "../style/lexicons.css";
import { useData } from "../lib/data";
import { count } from "../lib/format";
import { Link, type ViewProps } from "../lib/router";
import type { LexiconEntry, Lexicons as List } from "../lib/types";
import { type Column, Empty, Failed, Loading, Page, Table } from "../parts";
import { LexiconView } from "./lexicons/lexicon";

export default function Lexicons({ path, query }: ViewProps) {
  const name = path[1];
  return name === undefined ? <LexiconList /> : <LexiconView name={name} word={query.get("word") ?? ""} />;
}

function LexiconList() {
  const { data, error, loading, reload } = useData<List>("/api/lexicons");
  return (
    <Page title="Lexicons" lead="They tell how rare words are. I-Match picks its words by them, weighted methods weigh by them.">
      {error && <Failed error={error} retry={reload} />}
      {data === undefined && loading && <Loading lines={4} />}
      {data?.lexicons.length === 0 && (
        <Empty title="Nothing here yet: there is no lexicon.">
          Build one with <code>lookalike lexicon build</code> and lay it into the folder lexicons of the service's data.
        </Empty>
      )}
      {data !== undefined && data.lexicons.length > 0 && (
        <section class="card">
          <Table caption="Lexicons" columns={columns} rows={data.lexicons} rowKey={(row) => row.name} />
        </section>
      )}
    </Page>
  );
}

const columns: Column<LexiconEntry>[] = [
  {
    title: "Name",
    heading: true,
    sort: (row) => row.name,
    cell: (row) => <Link to={["lexicons", row.name]}>{row.name}</Link>,
  },
  { title: "Documents", number: true, sort: (row) => row.documents, cell: (row) => count(row.documents) },
  { title: "Terms", number: true, sort: (row) => row.terms, cell: (row) => count(row.terms) },
  { title: "Counted", cell: (row) => row.counted },
  { title: "Text rules", cell: (row) => <span class="mono">{row.rules}</span> },
  { title: "Id", cell: (row) => <span class="mono">{row.id}</span> },
];
