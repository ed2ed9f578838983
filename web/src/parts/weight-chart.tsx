import { useMemo, useState } from "preact/hooks";

import "../style/weight-chart.css";
import type { Profile } from "../lib/types";

interface WeightChartProps {
  /** What it shows, in a sentence with the most important number. */
  label: string;
  /** In the order they are drawn. */
  features: Profile["features"];
}

const HEIGHT = 100;
const weights = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

export function weightText(weight: number): string {
  return weights.format(weight);
}

/** Some features stand for no words that can be shown. */
export function featureText({ text }: Profile["features"][number]): string {
  return text || "(no words)";
}

/** A bar for each feature; the one under the pointer is named. */
export function WeightChart({ label, features }: WeightChartProps) {
  const [pointed, setPointed] = useState<number>();
  const most = useMemo(() => features.reduce((largest, { weight }) => Math.max(largest, weight), 0) || 1, [features]);
  // One path: thousands of bars as elements of their own would be slow.
  const bars = useMemo(
    () => features.map(({ weight }, place) => `M${place} ${HEIGHT}V${HEIGHT * (1 - weight / most)}h1V${HEIGHT}`).join(""),
    [features, most],
  );
  const feature = pointed === undefined ? undefined : features[pointed];

  const point = (event: PointerEvent & { currentTarget: SVGSVGElement }) => {
    const box = event.currentTarget.getBoundingClientRect();
    const place = Math.floor(((event.clientX - box.left) / box.width) * features.length);
    setPointed(Math.min(features.length - 1, Math.max(0, place)));
  };

  return (
    <div class="weight-chart">
      <div class="weight-chart-scale" aria-hidden="true">
        <span>{weightText(most)}</span>
        <span>0</span>
      </div>
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${features.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        onPointerMove={point}
        onPointerLeave={() => setPointed(undefined)}
      >
        <path class="bar-part" d={bars} />
        {pointed !== undefined && <rect class="pointed" x={pointed} y={0} width={1} height={HEIGHT} />}
      </svg>
      <p class="weight-chart-read-out" aria-hidden="true">
        {feature === undefined ? (
          <span class="muted">Point at a bar to see what it is.</span>
        ) : (
          <>
            <strong dir="auto">{featureText(feature)}</strong> {weightText(feature.weight)}
          </>
        )}
      </p>
    </div>
  );
}
