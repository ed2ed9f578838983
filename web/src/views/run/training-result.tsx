/** What is known of a classifier that was trained. */

import { exactPercent } from "../../lib/figures";
import { count } from "../../lib/format";
import type { Quality, TrainingReport } from "../../lib/types";
import { type Column, Table } from "../../parts";
import { Facts } from "../../parts/facts";

/** Components beyond these hardly weigh. */
const COMPONENTS = 15;

interface Tested {
  name: string;
  quality: Quality;
}

export function TrainingResult({ training }: { training: TrainingReport }) {
  const tested: Tested[] = [
    { name: "The classifier", quality: training.tested },
    { name: "The best single threshold", quality: training.best_threshold },
    ...training.tried.map(([name, quality]) => ({ name: `Tried: ${name}`, quality })),
  ];
  const weights = training.importance.slice(0, COMPONENTS);
  return (
    <section class="card">
      <h2>Classifier</h2>
      {training.notes.length > 0 && (
        <ul class="run-warnings">
          {training.notes.map((note, place) => (
            <li key={place}>{note}</li>
          ))}
        </ul>
      )}
      <Facts
        facts={[
          ["Truth", training.truth],
          ["Documents", count(training.documents)],
          ["Labelled pairs", count(training.pairs)],
          ["Of these duplicates", count(training.near_duplicates)],
          ["Hard ones among the others", count(training.hard_negatives)],
          ["Folds", count(training.folds)],
          ["Brier score", training.brier.toFixed(3)],
          ["Error of its confidence", exactPercent(training.calibration_error)],
        ]}
      />
      <h3>On pairs it was not trained on</h3>
      <Table caption="Quality of the classifier and of what it was compared with" columns={qualities} rows={tested} rowKey={(row) => row.name} />
      {weights.length > 0 && (
        <>
          <h3>What weighs most</h3>
          <Table
            caption="Components by how much they move the decision"
            columns={importance}
            rows={weights.map(([name, weight]) => ({ name, weight }))}
            rowKey={(row) => row.name}
          />
        </>
      )}
    </section>
  );
}

const qualities: Column<Tested>[] = [
  { title: "Decides", heading: true, cell: (row) => row.name },
  { title: "Precision", number: true, sort: (row) => row.quality.precision, cell: (row) => exactPercent(row.quality.precision) },
  { title: "Recall", number: true, sort: (row) => row.quality.recall, cell: (row) => exactPercent(row.quality.recall) },
  { title: "F1", number: true, sort: (row) => row.quality.f1, cell: (row) => exactPercent(row.quality.f1) },
  { title: "Accuracy", number: true, sort: (row) => row.quality.accuracy, cell: (row) => exactPercent(row.quality.accuracy) },
  { title: "Wrongly joined", number: true, cell: (row) => count(row.quality.counts.false_positives) },
  { title: "Missed", number: true, cell: (row) => count(row.quality.counts.false_negatives) },
];

const importance: Column<{ name: string; weight: number }>[] = [
  { title: "Component", heading: true, cell: (row) => row.name },
  { title: "Moves the decision by", number: true, sort: (row) => row.weight, cell: (row) => row.weight.toFixed(3) },
];
