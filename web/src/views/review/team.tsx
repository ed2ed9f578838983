/** Who decided how much, whether they agree, and the batches that people were given. */

import { useState } from "preact/hooks";

import { useAction } from "../../lib/action";
import { del, post } from "../../lib/api";
import { refreshAll, useData, useMay } from "../../lib/data";
import { count, moment, percent, plural } from "../../lib/format";
import { Link } from "../../lib/router";
import type { Agreement, BatchProgress, Batches, ReviewProgress, Reviewer } from "../../lib/types";
import { done } from "../../lib/undo";
import { Button, type Column, Empty, Failed, Field, Loading, Page, Table } from "../../parts";

export function Team() {
  const { data, error, loading, reload } = useData<ReviewProgress>("/api/review/progress");
  const batches = useData<Batches>("/api/review/batches");
  const mayAssign = useMay("write");
  const lead = data && `${plural(data.left, "pair")} of clusters ${data.left === 1 ? "waits" : "wait"} for a decision.`;
  return (
    <Page title="People and batches" lead={lead} actions={<Link to="review">Review</Link>}>
      {error && <Failed error={error} retry={reload} />}
      {data === undefined && loading && <Loading lines={10} />}
      {data !== undefined && <People {...data} />}
      <section class="card">
        <h2>Batches</h2>
        {batches.error && <Failed error={batches.error} retry={batches.reload} />}
        {batches.data?.batches.length === 0 && <p class="muted">No batch yet. A batch gives people the next pairs of the queue; each of them decides of all.</p>}
        {batches.data !== undefined && batches.data.batches.length > 0 && <BatchTable batches={batches.data.batches} mayAssign={mayAssign} />}
        {mayAssign && <NewBatch people={data?.people.map(({ name }) => name) ?? []} />}
      </section>
    </Page>
  );
}

function People({ people, agreement, disputed }: ReviewProgress) {
  if (people.length === 0) {
    return (
      <Empty title="Nothing here yet: nobody has decided of a pair.">
        <Link to="review">Begin with the first</Link>
      </Empty>
    );
  }
  const columns: Column<Reviewer>[] = [
    { title: "Person", heading: true, sort: (row) => row.name, cell: (row) => row.name },
    { title: "Decided", number: true, sort: (row) => row.duplicates + row.different, cell: (row) => count(row.duplicates + row.different) },
    { title: "Duplicates", number: true, sort: (row) => row.duplicates, cell: (row) => count(row.duplicates) },
    { title: "Not duplicates", number: true, sort: (row) => row.different, cell: (row) => count(row.different) },
    { title: "Last", sort: (row) => row.last, cell: (row) => moment(row.last) },
  ];
  return (
    <>
      <section class="card">
        <h2>People</h2>
        <Table caption="Decisions by person" columns={columns} rows={people} rowKey={(row) => row.name} />
      </section>
      <section class="card">
        <h2>Agreement</h2>
        {agreement.length === 0 ? (
          <p class="muted">No two people have decided of the same pair. Give two people the same batch to find out how far they agree.</p>
        ) : (
          <AgreementTable agreement={agreement} />
        )}
        {disputed > 0 && (
          <p>
            <Link to="review" query={{ disputed: "true" }}>
              {plural(disputed, "disputed pair")}
            </Link>
            : the last decision contradicts the ones before. Whoever decides next settles it.
          </p>
        )}
      </section>
    </>
  );
}

function AgreementTable({ agreement }: { agreement: Agreement[] }) {
  const columns: Column<Agreement>[] = [
    { title: "One", heading: true, sort: (row) => row.one, cell: (row) => row.one },
    { title: "Other", sort: (row) => row.other, cell: (row) => row.other },
    { title: "Pairs of both", number: true, sort: (row) => row.both, cell: (row) => count(row.both) },
    { title: "Agree", number: true, sort: (row) => row.share, cell: (row) => `${count(row.same)} (${percent(row.share)})` },
    { title: "Kappa", number: true, sort: (row) => row.kappa, cell: (row) => (row.kappa === null ? "–" : row.kappa.toFixed(2)) },
  ];
  return (
    <>
      <Table caption="Agreement of people" columns={columns} rows={agreement} rowKey={(row) => `${row.one}\n${row.other}`} />
      <p class="muted">Kappa is 1 where two always agree and 0 where they agree no more often than by chance.</p>
    </>
  );
}

function BatchTable({ batches, mayAssign }: { batches: BatchProgress[]; mayAssign: boolean }) {
  const columns: Column<BatchProgress>[] = [
    {
      title: "Batch",
      heading: true,
      sort: (row) => row.name,
      cell: (row) => (
        <Link to="review" query={{ batch: row.batch }}>
          {row.name}
        </Link>
      ),
    },
    { title: "Pairs", number: true, sort: (row) => row.pairs, cell: (row) => count(row.pairs) },
    {
      title: "Decided by",
      cell: (row) => row.assignees.map(({ name, decided }) => `${name}: ${count(decided)}`).join(", "),
    },
    { title: "Made", sort: (row) => row.time, cell: (row) => `${moment(row.time)}, ${row.by}` },
    { title: "Action", cell: (row) => mayAssign && <Forget batch={row} /> },
  ];
  return <Table caption="Batches" columns={columns} rows={batches} rowKey={(row) => row.batch} />;
}

function Forget({ batch: { batch, name } }: { batch: BatchProgress }) {
  const [forget, busy] = useAction(async () => {
    await del(`/api/review/batches/${batch}`);
    done(`Forgotten: batch ${name}`);
    refreshAll();
  });
  return (
    <Button class="small" busy={busy} aria-label={`Forget batch ${name}`} onClick={forget}>
      Forget
    </Button>
  );
}

function NewBatch({ people }: { people: readonly string[] }) {
  const [name, setName] = useState("");
  const [assignees, setAssignees] = useState("");
  const [filter, setFilter] = useState("");
  const [limit, setLimit] = useState("100");
  const names = assignees.split(",").map((person) => person.trim()).filter(Boolean);
  const [make, busy] = useAction(async () => {
    const made = await post<BatchProgress>("/api/review/batches", { name, assignees: names, filter, limit: Number(limit) || 100 });
    done(`Batch of ${plural(made.pairs, "pair")} for ${names.join(", ")}`);
    setName("");
    refreshAll();
  });
  const text = (label: string, value: string, set: (value: string) => void, help: string, list?: string) => (
    <Field label={label} help={help}>
      {(field) => <input {...field} type="text" list={list} value={value} onInput={(event) => set(event.currentTarget.value)} />}
    </Field>
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        make();
      }}
    >
      <h3>New batch</h3>
      <div class="field-grid">
        {text("Name", name, setName, "What people will know it by.")}
        {text("For", assignees, setAssignees, "Names of tokens, parted by commas.", "reviewers")}
        {text("Filter", filter, setFilter, "As for clusters; empty: all.")}
        <Field label="Pairs" help="The most uncertain that nobody has.">
          {(field) => <input {...field} type="number" min={1} max={10_000} value={limit} onInput={(event) => setLimit(event.currentTarget.value)} />}
        </Field>
      </div>
      <datalist id="reviewers">
        {people.map((person) => (
          <option key={person} value={person} />
        ))}
      </datalist>
      <Button kind="primary" type="submit" disabled={name.trim() === "" || names.length === 0} busy={busy}>
        Make batch
      </Button>
    </form>
  );
}
