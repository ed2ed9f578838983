import { count, percent, similarity } from "../../lib/format";
import type { Pair } from "../../lib/types";
import { Bar, type Column, Table } from "../../parts";
import type { PairData } from "./load";
import { Signatures } from "./signatures";
import { VerdictTag } from "./verdict-tag";

type Method = Pair["methods"][number];
type Measure = Pair["measures"][number];

const methodColumns: Column<Method>[] = [
  { title: "Method", heading: true, cell: (row) => row.method },
  { title: "Verdict", cell: (row) => <VerdictTag verdict={row.verdict} /> },
  { title: "Similarity", cell: (row) => <Bar value={row.similarity} threshold={row.threshold} />, sort: (row) => row.similarity },
  { title: "Threshold", number: true, cell: (row) => similarity(row.threshold) },
  { title: "Measure", cell: (row) => row.measure },
  { title: "Because", cell: (row) => row.because?.join(", ") ?? "" },
];

const measureColumns: Column<Measure>[] = [
  { title: "Features", heading: true, sort: (row) => row.features, cell: (row) => row.features },
  { title: "Measure", sort: (row) => row.measure, cell: (row) => row.measure },
  { title: "Similarity", sort: (row) => row.similarity, cell: (row) => <Bar value={row.similarity} /> },
];

/** Every number that can be had of the pair. */
export function Measures({ data: { pair } }: { data: PairData }) {
  return (
    <div class="pair-scroll">
      <section class="card">
        <h2>What methods say</h2>
        <Table caption="Verdicts of methods" columns={methodColumns} rows={pair.methods} rowKey={(row) => row.method} />
        {pair.methods.map((method) => (
          <Signatures key={method.method} method={method} />
        ))}
      </section>
      <div class="columns">
        <section class="card">
          <h2>Measures</h2>
          <Table
            caption="Every measure on every kind of features"
            columns={measureColumns}
            rows={pair.measures}
            rowKey={(row) => `${row.features} ${row.measure}`}
          />
        </section>
        <div>
          <Containment pair={pair} />
          <OnlyIn title="Words only the left has" words={pair.only_in_a} />
          <OnlyIn title="Words only the right has" words={pair.only_in_b} />
        </div>
      </div>
    </div>
  );
}

function Containment({ pair: { a, b } }: { pair: Pair }) {
  const rows = [
    { which: "Left in right", ...a },
    { which: "Right in left", ...b },
  ];
  return (
    <section class="card">
      <h2>Containment</h2>
      <Table
        caption="How much of each the other has"
        rows={rows}
        rowKey={(row) => row.which}
        columns={[
          { title: "Which", heading: true, cell: (row) => row.which },
          { title: "Word 5-grams", cell: (row) => <Bar value={row.contained_in_other} /> },
          { title: "Words in passages", number: true, cell: (row) => percent(row.in_passages) },
        ]}
      />
    </section>
  );
}

const MOST_WORDS = 300;

function OnlyIn({ title, words }: { title: string; words: Pair["only_in_a"] }) {
  const most = words.toSorted((one, other) => other[1] - one[1]).slice(0, MOST_WORDS);
  return (
    <section class="card">
      <h2>
        {title} <span class="muted">{count(words.length)}</span>
      </h2>
      {words.length === 0 ? (
        <p class="muted">None.</p>
      ) : (
        <ul class="words" tabIndex={0} aria-label={title}>
          {most.map(([word, times]) => (
            <li key={word}>
              <span dir="auto">{word}</span>
              {times > 1 && <span class="muted"> × {count(times)}</span>}
            </li>
          ))}
        </ul>
      )}
      {words.length > MOST_WORDS && <p class="muted">The {count(MOST_WORDS)} most frequent are shown.</p>}
    </section>
  );
}
