/** What should be fetched again, the most urgent first. */

import { useData } from "../lib/data";
import { count, duration, moment, plural, similarity } from "../lib/format";
import { toDocument } from "../lib/places";
import type { DueDocument, DueQueue } from "../lib/types";
import { type Column, Empty, Failed, Loading, Name, Page, Table } from "../parts";

export default function DueView() {
  const { data, error, loading, reload } = useData<DueQueue>("/api/due?limit=1000");
  return (
    <Page title="Due" actions={data && <span>{plural(data.due, "document")}</span>}>
      {error && <Failed error={error} retry={reload} />}
      {data === undefined && loading && <Loading lines={12} />}
      {data !== undefined && data.due === 0 && (
        <Empty title="Nothing is due.">Documents are due a day after they came, later the longer they stay as they are.</Empty>
      )}
      {data !== undefined && data.documents.length > 0 && (
        <section class="card">
          {data.documents.length < data.due && <p>The {count(data.documents.length)} most urgent of them.</p>}
          <Table
            caption="Documents that should be fetched again"
            columns={columns}
            rows={data.documents}
            rowKey={(document) => JSON.stringify([document.id, document.labels])}
          />
        </section>
      )}
    </Page>
  );
}

const columns: Column<DueDocument>[] = [
  { title: "Document", heading: true, class: "wide", cell: ({ id, labels }) => <Name id={id} labels={labels} {...toDocument({ id, labels })} /> },
  { title: "Urgency", number: true, sort: (row) => row.crawl_priority, cell: (row) => similarity(row.crawl_priority) },
  { title: "Worth indexing", number: true, sort: (row) => row.index_priority, cell: (row) => similarity(row.index_priority) },
  { title: "Due", class: "when", sort: (row) => row.due, cell: (row) => moment(row.due) },
  { title: "Every", number: true, sort: (row) => row.interval, cell: (row) => duration(row.interval) },
];
