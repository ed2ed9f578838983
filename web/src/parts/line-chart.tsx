import { useMemo } from "preact/hooks";

import "../style/line-chart.css";

export interface Axis {
  name: string;
  low: number;
  high: number;
  text: (value: number) => string;
}

export interface Line {
  name: string;
  /** In the order they are joined. */
  points: readonly (readonly [x: number, y: number])[];
}

interface LineChartProps {
  /** What it shows, in a sentence with the most important number. */
  label: string;
  /** Keep them from render to render: others are drawn anew. */
  lines: readonly Line[];
  x: Axis;
  y: Axis;
}

const SIZE = 100;
/** Colours; then they begin again. */
const STYLES = 5;

/** Lines through points, each with its values when the pointer is on it. */
export function LineChart({ label, lines, x, y }: LineChartProps) {
  const drawn = useMemo(
    () => (
      <svg role="img" aria-label={label} viewBox={`0 0 ${SIZE} ${SIZE}`} preserveAspectRatio="none">
        {lines.map((line, number) => (
          <DrawnLine key={number} {...{ line, number, x, y }} />
        ))}
      </svg>
    ),
    [label, lines],
  );
  return (
    <div class="line-chart">
      <div class="line-chart-y" aria-hidden="true">
        <span>{y.text(y.high)}</span>
        <span>{y.name}</span>
        <span>{y.text(y.low)}</span>
      </div>
      <div class="line-chart-plot">{drawn}</div>
      <div class="line-chart-x" aria-hidden="true">
        <span>{x.text(x.low)}</span>
        <span>{x.name}</span>
        <span>{x.text(x.high)}</span>
      </div>
      {lines.length > 1 && (
        <ul class="line-chart-names">
          {lines.map((line, number) => (
            <li key={number}>
              <span class={`swatch ${lineStyle(number)}`} /> {line.name}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface DrawnLineProps {
  line: Line;
  number: number;
  x: Axis;
  y: Axis;
}

function DrawnLine({ line: { name, points }, number, x, y }: DrawnLineProps) {
  const places = points.map(([across, up]) => [SIZE * share(across, x), SIZE * (1 - share(up, y))] as const);
  return (
    <g class={lineStyle(number)}>
      <polyline points={places.map((place) => place.join(",")).join(" ")} />
      {points.map(([across, up], place) => (
        // A dot is a line without length, so that it stays round however the chart is stretched.
        <path key={place} d={`M${places[place]?.join(" ")}h0`}>
          <title>{`${name}, ${x.name} ${x.text(across)}: ${y.name} ${y.text(up)}`}</title>
        </path>
      ))}
    </g>
  );
}

function lineStyle(number: number): string {
  return `line-${number % STYLES}`;
}

function share(value: number, { low, high }: Axis): number {
  return high === low ? 0 : (value - low) / (high - low);
}
