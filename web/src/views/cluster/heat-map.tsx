import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { count, plural, similarity } from "../../lib/format";
import { nameOf } from "../../lib/names";
import { toPair } from "../../lib/places";
import { Link, visit } from "../../lib/router";
import { useTheme } from "../../lib/theme";
import type { ClusterShape, ShapeGroup } from "../../lib/types";
import { labelOf } from "./graph";

interface Spot {
  row: number;
  column: number;
}

const SIDE = 640;
/** Margins of the page on a narrow screen. */
const BESIDE = 70;
const [SMALLEST, LARGEST] = [3, 18];
/** Cells that are larger have a line between them. */
const LARGEST_WITHOUT_GAP = 5;
/** Titles are readable beside cells of this size. */
const READABLE = 12;
const steps: Record<string, [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** All groups against all: a cell for each two, the darker the more alike. */
export function HeatMap({ shape }: { shape: ClusterShape }) {
  const { groups } = shape;
  const size = groups.length;
  const room = Math.min(SIDE, document.documentElement.clientWidth - BESIDE);
  const cell = Math.max(SMALLEST, Math.min(LARGEST, Math.floor(room / size)));
  const matrix = useMemo(() => matrixOf(shape), [shape]);
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useTheme();
  const [spot, setSpot] = useState<Spot>({ row: 0, column: 1 });

  useEffect(() => {
    if (canvas.current) draw(canvas.current, matrix, size, cell);
  }, [matrix, size, cell, theme]);

  const look = (row: number, column: number) => {
    const within = (place: number) => Math.min(size - 1, Math.max(0, place));
    const next = { row: within(row), column: within(column) };
    setSpot((old) => (old.row === next.row && old.column === next.column ? old : next));
  };
  const point = (event: PointerEvent) => look(Math.floor(event.offsetY / cell), Math.floor(event.offsetX / cell));
  const [one, other] = [groups[spot.row], groups[spot.column]];
  const open = () => {
    if (one && other && one !== other) visit(toPair(nameOf(one), nameOf(other), nameOf(groups[0] ?? one)));
  };

  return (
    <div class="heat-map">
      <ReadOut {...{ shape, spot, one, other }} />
      <div class="heat-map-grid">
        {cell >= READABLE && <Titles groups={groups} cell={cell} class="columns-titles" />}
        {cell >= READABLE && <Titles groups={groups} cell={cell} class="rows-titles" />}
        <div
          class="heat-map-cells"
          role="group"
          tabIndex={0}
          aria-label={`Similarities of ${size} ${size < shape.shown ? "groups" : "texts"}, each to each. Arrow keys move, Enter compares the two.`}
          onKeyDown={(event) => {
            const step = steps[event.key];
            if (step !== undefined) look(spot.row + step[0], spot.column + step[1]);
            else if (event.key === "Enter") open();
            else return;
            event.preventDefault();
          }}
          onPointerMove={point}
          onPointerDown={point}
          onClick={open}
        >
          <canvas ref={canvas} class="heat-map-canvas" aria-hidden="true" />
          <div class="heat-map-row" style={{ top: `${spot.row * cell}px`, height: `${cell}px` }} />
          <div class="heat-map-column" style={{ left: `${spot.column * cell}px`, width: `${cell}px` }} />
        </div>
      </div>
      <p class="muted">{captionOf(shape)}</p>
    </div>
  );
}

function captionOf({ groups, shown, contents }: ClusterShape): string {
  const parts = ["The stronger the colour, the more two texts are alike; neighbours are alike, and copies are one. Empty cells were not measured."];
  if (groups.length < shown) {
    const each = Math.ceil(shown / groups.length);
    parts.push(`A row stands for up to ${plural(each, "text")}, and a cell for the mean of what was measured between them.`);
  }
  if (shown < contents) parts.push(`Only the ${count(shown)} texts most like the master are drawn.`);
  return parts.join(" ");
}

interface ReadOutProps {
  shape: ClusterShape;
  spot: Spot;
  one: ShapeGroup | undefined;
  other: ShapeGroup | undefined;
}

function ReadOut({ shape, spot, one, other }: ReadOutProps) {
  if (one === undefined || other === undefined) return null;
  const [low, high] = [Math.min(spot.row, spot.column), Math.max(spot.row, spot.column)];
  const found = shape.pairs.find(([a, b]) => a === low && b === high);
  const told = found && (found[3] > 1 ? `${similarity(found[2])}, mean of ${count(found[3])} pairs` : similarity(found[2]));
  const measured = told ?? (one === other && one.contents === 1 ? "the same text" : "not measured");
  return (
    <div class="heat-map-read-out">
      <div aria-live="polite">
        <strong>{measured}</strong>
        <span class="name" dir="auto">
          {spot.row + 1}: {labelOf(one)}
        </span>
        <span class="name" dir="auto">
          {spot.column + 1}: {labelOf(other)}
        </span>
      </div>
      {one !== other && (
        <Link class="button small" {...toPair(nameOf(one), nameOf(other), nameOf(shape.groups[0] ?? one))}>
          Compare
        </Link>
      )}
    </div>
  );
}

function Titles({ groups, cell, class: name }: { groups: ShapeGroup[]; cell: number; class: string }) {
  return (
    <div class={name} aria-hidden="true">
      {groups.map((group, place) => (
        <span key={place} class="name" dir="auto" title={labelOf(group)} style={{ [name === "rows-titles" ? "height" : "width"]: `${cell}px` }}>
          {labelOf(group)}
        </span>
      ))}
    </div>
  );
}

/** Row by row; what was not measured is not a number. */
function matrixOf({ groups, pairs }: ClusterShape): Float32Array {
  const size = groups.length;
  const matrix = new Float32Array(size * size).fill(Number.NaN);
  groups.forEach(({ contents }, place) => {
    if (contents === 1) matrix[place * size + place] = 1;
  });
  for (const [a, b, value] of pairs) {
    matrix[a * size + b] = value;
    matrix[b * size + a] = value;
  }
  return matrix;
}

function draw(canvas: HTMLCanvasElement, matrix: Float32Array, size: number, cell: number): void {
  const density = window.devicePixelRatio || 1;
  const side = size * cell;
  canvas.width = side * density;
  canvas.height = side * density;
  canvas.style.width = `${side}px`;
  canvas.style.height = `${side}px`;
  const pen = canvas.getContext("2d");
  // Only a property that is used gives a colour as the theme has it.
  const cells = cellsOf(matrix, size, getComputedStyle(canvas).color);
  if (pen === null || cells === null) return;
  pen.scale(density, density);
  pen.imageSmoothingEnabled = false;
  pen.drawImage(cells, 0, 0, side, side);
  if (cell <= LARGEST_WITHOUT_GAP) return;
  for (let edge = cell - 1; edge < side; edge += cell) {
    pen.clearRect(edge, 0, 1, side);
    pen.clearRect(0, edge, side, 1);
  }
}

/** A picture with one pixel for each cell, which is much faster to make than a rectangle for each. */
function cellsOf(matrix: Float32Array, size: number, colour: string): HTMLCanvasElement | null {
  const canvas = document.createElement("canvas");
  canvas.width = size;
  canvas.height = size;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  if (pen === null) return null;
  pen.fillStyle = colour;
  pen.fillRect(0, 0, size, size);
  const picture = pen.getImageData(0, 0, size, size);
  const least = matrix.reduce((low, value) => (value < low ? value : low), 1);
  matrix.forEach((value, place) => {
    const strength = least < 1 ? 0.12 + (0.88 * (value - least)) / (1 - least) : 1;
    // A pixel has red, green, blue and how much of it is seen.
    picture.data[4 * place + 3] = Number.isNaN(value) ? 0 : Math.round(255 * strength);
  });
  pen.putImageData(picture, 0, 0);
  return canvas;
}
