import { fieldText } from "../../lib/fields";
import type { Stored } from "../../lib/types";
import { Table } from "../../parts";

/** All fields but the text, as they were given. */
export function Fields({ stored }: { stored: Stored }) {
  const rows = Object.entries(stored.document).filter(([name]) => name !== "text");
  return (
    <section class="card">
      <h2>Fields</h2>
      <Table
        caption="Fields of the document"
        rows={rows}
        rowKey={([name]) => name}
        columns={[
          { title: "Field", heading: true, sort: ([name]) => name, cell: ([name]) => name },
          { title: "Value", class: "document-value", cell: ([, value]) => <span dir="auto">{fieldText(value)}</span> },
        ]}
      />
    </section>
  );
}
