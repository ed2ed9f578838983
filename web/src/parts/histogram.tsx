import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";

import { count } from "../lib/format";

interface HistogramProps {
  /** What it shows, in a sentence with the most important number. */
  label: string;
  values: readonly number[];
  /** The part of each value that is drawn in the strong colour. */
  parts?: readonly number[];
  /** What a bar stands for, such as "80 % to 82 %". */
  name: (place: number) => string;
  /** Below the axis, spread evenly from its start to its end. */
  ticks?: readonly string[];
  /** The share of the axis, 0 to 1, that is shaded. */
  shaded?: [from: number, to: number];
  /** What lies over the bars and is positioned in per cent. */
  children?: ComponentChildren;
}

const HEIGHT = 100;
/** What is not nothing must be seen. */
const LEAST = 1;
/** How many times as high as the next one a bar is that leaves no room for the others. */
const DWARFS = 10;

export function Histogram({ label, values, parts, name, ticks, shaded, children }: HistogramProps) {
  const most = Math.max(1, ...values);
  const isLogarithmic = useMemo(() => isDwarfing(values), [values]);
  // What lies over the bars may move with every frame; the bars are drawn once.
  const bars = useMemo(
    () => <Bars {...{ label, values, parts, name, shaded, most, isLogarithmic }} />,
    [label, values, parts, shaded?.[0], shaded?.[1]],
  );
  return (
    <div class="histogram">
      <div class="histogram-scale" aria-hidden="true">
        <span>{count(most)}</span>
        {isLogarithmic && <span>{count(Math.round(Math.expm1(Math.log1p(most) / 2)))}</span>}
        <span>0</span>
      </div>
      <div class="histogram-plot">
        {bars}
        {children}
      </div>
      {isLogarithmic && <p class="histogram-note">Logarithmic scale: one bar is far above all others.</p>}
      {ticks && (
        <div class="histogram-ticks" aria-hidden="true">
          {ticks.map((tick, place) => (
            <span key={place}>{tick}</span>
          ))}
        </div>
      )}
    </div>
  );
}

type BarsProps = Pick<HistogramProps, "label" | "values" | "parts" | "name" | "shaded"> & { most: number; isLogarithmic: boolean };

/** Whether one bar is so high that the others could not be told apart. */
function isDwarfing(values: readonly number[]): boolean {
  const [first = 0, second = 0] = values.filter((value) => value > 0).sort((a, b) => b - a);
  return second > 0 && first > DWARFS * second;
}

function Bars({ label, values, parts, name, shaded, most, isLogarithmic }: BarsProps) {
  const share = (value: number) => (isLogarithmic ? Math.log1p(value) / Math.log1p(most) : value / most);
  const height = (value: number) => (value === 0 ? 0 : Math.max(LEAST, share(value) * HEIGHT));
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${Math.max(1, values.length)} ${HEIGHT}`} preserveAspectRatio="none">
      {shaded && (
        <rect
          class="shade"
          x={shaded[0] * values.length}
          width={(shaded[1] - shaded[0]) * values.length}
          y={0}
          height={HEIGHT}
        />
      )}
      {values.map((value, place) => {
        const part = parts?.[place];
        return (
          <g key={place}>
            <title>{tip(name(place), value, part)}</title>
            {/* An empty bar has a name, too. */}
            <rect class="hover" x={place} y={0} width={1} height={HEIGHT} />
            <rect class={parts ? "bar-whole" : "bar-part"} x={place + 0.06} y={HEIGHT - height(value)} width={0.88} height={height(value)} />
            {part !== undefined && (
              <rect class="bar-part" x={place + 0.06} y={HEIGHT - height(part)} width={0.88} height={height(part)} />
            )}
          </g>
        );
      })}
    </svg>
  );
}

function tip(name: string, value: number, part?: number): string {
  return part === undefined ? `${name}: ${count(value)}` : `${name}: ${count(value)}, of these ${count(part)}`;
}
