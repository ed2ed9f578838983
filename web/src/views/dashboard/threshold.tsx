/** Documents by their highest similarity, with a threshold that can be moved to see what it would find. */

import { useMemo, useRef, useState } from "preact/hooks";

import { useMay } from "../../lib/data";
import { change, count, plural, similarity } from "../../lib/format";
import { Link } from "../../lib/router";
import type { Level, Survey } from "../../lib/types";
import { Histogram, Numbers } from "../../parts";
import { levelAt, moved, onGrid } from "./levels";

export function ThresholdExplorer({ survey }: { survey: Survey }) {
  const { low, step, documents, alone } = survey.histogram;
  // A last bar of its own for what is equal ends above 1.
  const end = low + step * documents.length;
  const high = Math.min(1, end);
  const [threshold, setThreshold] = useState(survey.threshold);

  const from = (place: number) => low + place * step;
  const name = (place: number) =>
    from(place) < 1 ? `${similarity(from(place))} to ${similarity(Math.min(1, from(place + 1)))}` : similarity(1);
  const alike = documents.reduce((sum, one) => sum + one, 0);
  const label = `Documents by their highest similarity to another: ${count(alike)} resemble one by ${similarity(low)} or more.`;
  const ticks = Array.from({ length: 5 }, (_, place) => similarity(Math.min(1, low + ((end - low) * place) / 4)));
  // Not made anew with every step of the line.
  const numbers = useMemo(
    () => (
      <Numbers
        caption="Documents by their highest similarity to another"
        head={["Similarity", "Documents"]}
        rows={documents.map((one, place) => [name(place), count(one)])}
      />
    ),
    [documents],
  );

  const effect = levelAt(survey.levels, threshold);
  const now = levelAt(survey.levels, survey.threshold);
  return (
    <section class="card">
      <h2>Highest similarity of each document</h2>
      <div class="explorer">
        <div>
          <Histogram {...{ label, name, ticks }} values={documents}>
            <Line {...{ low, high, end, threshold, setThreshold, effect }} index={survey.threshold} />
          </Histogram>
          <p class="muted">
            {plural(alone, "document resembles", "documents resemble")} no other. Drag the line, or use the arrow keys, to see what
            another threshold would find.
          </p>
          {numbers}
        </div>
        <Effect {...{ threshold, effect, now }} index={survey.threshold} reset={() => setThreshold(survey.threshold)} />
      </div>
    </section>
  );
}

interface LineProps {
  low: number;
  high: number;
  /** Of the axis. */
  end: number;
  threshold: number;
  setThreshold: (threshold: number) => void;
  /** The threshold of the index. */
  index: number;
  effect: Level | undefined;
}

function Line({ low, high, end, threshold, setThreshold, index, effect }: LineProps) {
  const plot = useRef<HTMLDivElement>(null);
  const place = (value: number) => `${(100 * (Math.min(high, Math.max(low, value)) - low)) / (end - low)}%`;

  const follow = (event: PointerEvent) => {
    const box = plot.current?.getBoundingClientRect();
    if (box === undefined || box.width === 0) return;
    const share = (event.clientX - box.left) / box.width;
    setThreshold(onGrid(low + share * (end - low), low, high));
  };

  return (
    <div ref={plot} class="threshold">
      <div class="threshold-above" style={{ left: place(threshold) }} />
      <div class="threshold-index" style={{ left: place(index) }} />
      <div
        class="threshold-line"
        style={{ left: place(threshold) }}
        role="slider"
        tabIndex={0}
        aria-label="Threshold"
        aria-orientation="horizontal"
        aria-valuemin={low}
        aria-valuemax={high}
        aria-valuenow={threshold}
        aria-valuetext={effect === undefined ? similarity(threshold) : `${similarity(threshold)}: ${effectText(effect)}`}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && follow(event)}
        onKeyDown={(event) => {
          const next = moved(event.key, threshold, low, high);
          if (next === undefined) return;
          event.preventDefault();
          setThreshold(next);
        }}
      >
        <span class="threshold-text">{similarity(threshold)}</span>
      </div>
    </div>
  );
}

interface EffectProps {
  threshold: number;
  effect: Level | undefined;
  now: Level | undefined;
  index: number;
  reset: () => void;
}

const effects: [keyof Level, string][] = [
  ["pairs", "Pairs"],
  ["clusters", "Clusters"],
  ["removed", "Removals"],
];

function Effect({ threshold, effect, now, index, reset }: EffectProps) {
  const below = threshold < index - 1e-9;
  const mayRun = useMay("admin");
  return (
    <div class="effect">
      <h3>At a threshold of {similarity(threshold)}</h3>
      {effect === undefined ? (
        <p class="muted">Nothing was measured yet.</p>
      ) : (
        <table>
          <caption class="hidden">What this threshold would find</caption>
          <thead>
            <tr>
              <th scope="col">Found</th>
              <th scope="col" class="number">
                {below ? "At least" : "Number"}
              </th>
              <th scope="col" class="number">
                Change
              </th>
            </tr>
          </thead>
          <tbody>
            {effects.map(([key, name]) => (
              <tr key={key}>
                <th scope="row">{name}</th>
                <td class="number">{count(effect[key])}</td>
                <td class="number">{change(effect[key] - (now?.[key] ?? 0))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {below ? (
        <p class="note">
          The index only holds pairs of {similarity(index)} or more. What lies below takes{" "}
          {mayRun ? <Link to="run">another run</Link> : "another run"}.
        </p>
      ) : (
        <p class="muted">Changes are against the index's own threshold, {similarity(index)}.</p>
      )}
      {threshold !== index && (
        <button type="button" class="button small" onClick={reset}>
          Back to {similarity(index)}
        </button>
      )}
    </div>
  );
}

function effectText(level: Level): string {
  const parts = [plural(level.pairs, "pair"), plural(level.clusters, "cluster"), plural(level.removed, "removal")];
  return parts.join(", ");
}
