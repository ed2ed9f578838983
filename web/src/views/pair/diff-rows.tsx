import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";

import type { Piece, Row, Span } from "../../lib/diff-rows";
import { plural } from "../../lib/format";
import { heightOf } from "../../lib/text-blocks";
import { LazyBlocks } from "../../parts/lazy-blocks";

/** A row, or how many were left out because they are the same. */
export type Item = { row: Row } | { hidden: number };

const BLOCK = 30;
/** Rows around a change that are shown with it. */
const AROUND = 1;
const CHARACTERS_A_LINE = { beside: 70, unified: 150 };
const ROW_PADDING = 6;

export function itemsOf(rows: readonly Row[], onlyChanges: boolean): Item[] {
  if (!onlyChanges) return rows.map((row) => ({ row }));
  const items: Item[] = [];
  let hidden = 0;
  rows.forEach((row, place) => {
    const near = rows.slice(Math.max(0, place - AROUND), place + AROUND + 1).some((other) => other.changed);
    if (!near) {
      hidden += 1;
      return;
    }
    if (hidden > 0) items.push({ hidden });
    hidden = 0;
    items.push({ row });
  });
  if (hidden > 0) items.push({ hidden });
  return items;
}

/** Where changes begin; rows that follow each other are one. */
export function groupsOf(items: readonly Item[]): number[] {
  const isChange = (item: Item | undefined) => item !== undefined && "row" in item && item.row.changed;
  return items.flatMap((item, place) => (isChange(item) && !isChange(items[place - 1]) ? [place] : []));
}

interface DiffRowsProps {
  items: readonly Item[];
  textA: string;
  textB: string;
  isUnified: boolean;
  shown: { item: number } | undefined;
}

export function DiffRows({ items, textA, textB, isUnified, shown }: DiffRowsProps) {
  const target = useMemo(() => shown && { ...shown, block: Math.floor(shown.item / BLOCK) }, [shown]);
  const texts = { textA, textB };
  const perLine = isUnified ? CHARACTERS_A_LINE.unified : CHARACTERS_A_LINE.beside;
  const itemsIn = (block: number) => items.slice(block * BLOCK, (block + 1) * BLOCK);
  const height = (block: number) =>
    itemsIn(block).reduce((sum, item) => sum + ROW_PADDING + heightOf("row" in item ? item.row.length : 1, perLine), 0);

  const render = (block: number) =>
    itemsIn(block).map((item, place) => {
      const number = block * BLOCK + place;
      if ("hidden" in item) {
        return (
          <div key={number} class="diff-hidden">
            {plural(item.hidden, "row")} left out: the same in both
          </div>
        );
      }
      return (
        <div key={number} class={item.row.changed ? "diff-row changed" : "diff-row"} data-item={number}>
          {isUnified ? (
            <Cell pieces={item.row.pieces} {...texts} />
          ) : (
            <>
              <Cell pieces={item.row.pieces.filter((piece) => piece.a)} {...texts} />
              <Cell pieces={item.row.pieces.filter((piece) => piece.b)} {...texts} isRight />
            </>
          )}
        </div>
      );
    });

  return (
    <LazyBlocks
      label="Differences"
      class={isUnified ? "diff differences unified" : "diff differences"}
      blocks={Math.ceil(items.length / BLOCK)}
      shown={target}
      {...{ height, render }}
    />
  );
}

interface CellProps {
  pieces: readonly Piece[];
  textA: string;
  textB: string;
  isRight?: boolean;
}

function Cell({ pieces, textA, textB, isRight = false }: CellProps) {
  const slice = (text: string, [start, end]: Span, isLast: boolean) => {
    const part = text.slice(start, end);
    // The row's end is the line's end.
    return isLast ? part.trimEnd() : part;
  };
  const content: ComponentChildren[] = pieces.map(({ a, b }, place) => {
    const isLast = place === pieces.length - 1;
    if (a && b) return isRight ? slice(textB, b, isLast) : slice(textA, a, isLast);
    if (a) return <del key={place}>{slice(textA, a, isLast)}</del>;
    return b && <ins key={place}>{slice(textB, b, isLast)}</ins>;
  });
  return (
    <div class="diff-cell" dir="auto">
      {content}
    </div>
  );
}
