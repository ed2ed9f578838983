import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { similarity, titleOf } from "../../lib/format";
import { masterOfMap, nameOf } from "../../lib/names";
import { toPair } from "../../lib/places";
import { Link, visit } from "../../lib/router";
import { useTheme } from "../../lib/theme";
import type { ClusterMap, MapMember } from "../../lib/types";

interface Spot {
  row: number;
  column: number;
}

const SIDE = 640;
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

/** All members against all: a cell for each pair, the darker the more alike. */
export function HeatMap({ map }: { map: ClusterMap }) {
  const { members } = map;
  const size = members.length;
  const cell = Math.max(SMALLEST, Math.min(LARGEST, Math.floor(SIDE / size)));
  const matrix = useMemo(() => matrixOf(map), [map]);
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
  const [one, other] = [members[spot.row], members[spot.column]];
  const open = () => {
    if (one && other && one !== other) visit(toPair(nameOf(one), nameOf(other), masterOfMap(map)));
  };

  return (
    <div class="heat-map">
      <ReadOut {...{ map, spot, one, other }} value={matrix[spot.row * size + spot.column]} />
      <div class="heat-map-grid">
        {cell >= READABLE && <Titles members={members} cell={cell} class="columns-titles" />}
        {cell >= READABLE && <Titles members={members} cell={cell} class="rows-titles" />}
        <div
          class="heat-map-cells"
          role="group"
          tabIndex={0}
          aria-label={`Similarities of ${size} documents, each to each. Arrow keys move, Enter compares the two.`}
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
      <p class="muted">The stronger the colour, the more two documents are alike. Empty cells were not measured.</p>
    </div>
  );
}

interface ReadOutProps {
  map: ClusterMap;
  spot: Spot;
  one: MapMember | undefined;
  other: MapMember | undefined;
  value: number | undefined;
}

function ReadOut({ map, spot, one, other, value }: ReadOutProps) {
  if (one === undefined || other === undefined) return null;
  const measured = value === undefined || Number.isNaN(value) ? "not measured" : similarity(value);
  return (
    <div class="heat-map-read-out">
      <div aria-live="polite">
        <strong>{one === other ? "the same document" : measured}</strong>
        <span class="name" dir="auto">
          {spot.row + 1}: {titleOf(one)}
        </span>
        <span class="name" dir="auto">
          {spot.column + 1}: {titleOf(other)}
        </span>
      </div>
      {one !== other && (
        <Link class="button small" {...toPair(nameOf(one), nameOf(other), masterOfMap(map))}>
          Compare
        </Link>
      )}
    </div>
  );
}

function Titles({ members, cell, class: name }: { members: MapMember[]; cell: number; class: string }) {
  return (
    <div class={name} aria-hidden="true">
      {members.map((member, place) => (
        <span key={place} class="name" dir="auto" title={titleOf(member)} style={{ [name === "rows-titles" ? "height" : "width"]: `${cell}px` }}>
          {titleOf(member)}
        </span>
      ))}
    </div>
  );
}

/** Row by row; what was not measured is not a number. */
function matrixOf({ members, pairs }: ClusterMap): Float32Array {
  const size = members.length;
  const matrix = new Float32Array(size * size).fill(Number.NaN);
  for (let place = 0; place < size; place += 1) matrix[place * size + place] = 1;
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
