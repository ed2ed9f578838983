/** How good a method is, against what is true. */

import { useMemo } from "preact/hooks";

import { exactPercent, withInterval } from "../../lib/figures";
import { bytes, count, duration, percent, similarity } from "../../lib/format";
import type { Evaluated, Judged } from "../../lib/types";
import { Numbers } from "../../parts";
import { Facts } from "../../parts/facts";
import { type Axis, LineChart } from "../../parts/line-chart";
import { NarrowingTable } from "./narrowing";
import { Stages } from "./stages";

export function EvaluationResult({ evaluation }: { evaluation: Evaluated }) {
  return (
    <>
      {evaluation.results.map((judged) => (
        <section key={judged.scheme} class="card">
          <h2>How good {judged.name} is</h2>
          <p class="muted">
            {count(evaluation.documents)} documents. True: {evaluation.truth}. Intervals hold the true figure with 95 % confidence.
          </p>
          <Figures judged={judged} />
          <Curve judged={judged} />
          <NarrowingTable narrowing={judged.narrowing} />
          <Stages stages={judged.stages} />
        </section>
      ))}
    </>
  );
}

function Figures({ judged }: { judged: Judged }) {
  const { judgement } = judged;
  return (
    <Facts
      facts={[
        ["Precision", withInterval(judgement.precision)],
        ["Recall", withInterval(judgement.recall)],
        ["F1", withInterval(judgement.f1)],
        ["Accuracy", withInterval(judgement.accuracy)],
        ["Precision of a query", withInterval(judgement.queries.precision)],
        ["Recall of a query", withInterval(judgement.queries.recall)],
        ["Clusters without a wrong pair", withInterval(judgement.pure_clusters)],
        ["Agreement of clusters (ARI)", judgement.ari === null ? "–" : judgement.ari.toFixed(3)],
        ["Pairs rightly found", count(judgement.counts.true_positives)],
        ["Pairs wrongly found", count(judgement.counts.false_positives)],
        ["Pairs missed", count(judgement.counts.false_negatives)],
        ["Clusters found", count(judgement.cluster_sizes.clusters)],
        ["Largest cluster", count(judgement.cluster_sizes.largest)],
        ["Neighbours of a document", judged.neighbours.toFixed(2)],
        ["Candidates", count(judged.candidates)],
        ["Threshold", similarity(judged.threshold)],
        ["Time", duration(judged.seconds)],
        ["Memory", bytes(judged.peak_memory_bytes)],
      ]}
    />
  );
}

const recall: Axis = { name: "recall", low: 0, high: 1, text: percent };
const precision: Axis = { name: "precision", low: 0, high: 1, text: percent };

function Curve({ judged: { curve, name } }: { judged: Judged }) {
  const lines = useMemo(() => [{ name, points: (curve ?? []).map((point) => [point.recall, point.precision] as const) }], [curve]);
  if (curve === undefined || curve.length < 2) return null;
  const best = curve.reduce((one, other) => (other.f1 > one.f1 ? other : one));
  const label = `Precision against recall for falling thresholds. The best F1 is ${exactPercent(best.f1)}, at ${similarity(best.threshold)}.`;
  return (
    <>
      <h3>Precision and recall by threshold</h3>
      <p class="muted">{label}</p>
      <LineChart label={label} lines={lines} x={recall} y={precision} />
      <Numbers
        caption="Precision and recall by threshold"
        head={["Threshold", "Precision", "Recall", "F1"]}
        rows={curve.map((point) => [
          similarity(point.threshold),
          exactPercent(point.precision),
          exactPercent(point.recall),
          exactPercent(point.f1),
        ])}
      />
    </>
  );
}
