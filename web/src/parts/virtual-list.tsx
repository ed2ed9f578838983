import type { ComponentChildren, VNode } from "preact";
import { useEffect, useId, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";

import { useKeys } from "../lib/keys";
import { type Load, usePages } from "../lib/pages";
import { TallScroll } from "../lib/tall-scroll";
import { Failed } from "./states";

interface VirtualListProps<T> {
  label: string;
  total: number;
  rowHeight: number;
  /** Another function is another list: keep it with `useCallback`. What is at hand may be returned without a promise. */
  load: Load<T>;
  /** The cells of a row, each a `Cell`. */
  row: (item: T, place: number) => ComponentChildren;
  /** The cells of the heading, each a `Cell` with `head`. */
  header?: ComponentChildren;
  /** Lays out the cells of rows and heading. */
  rowClass?: string;
  /** Enter, or a click on a row beside its links. */
  open?: (item: T) => void;
  /** Under this name the place is remembered for when the reader comes back. Make it the `key`, too. */
  memory?: string;
}

interface Place {
  position: number;
  active: number;
}

interface DrawnRow<T> {
  item: T | undefined;
  isActive: boolean;
  element: VNode;
}

const OVERSCAN = 8;
const PAUSE_MILLISECONDS = 150;
const remembered = new Map<string, Place>();

export function Cell({ head, class: name, children }: { head?: boolean; class?: string; children?: ComponentChildren }) {
  return (
    <div role={head ? "columnheader" : "gridcell"} class={name}>
      {children}
    </div>
  );
}

/** A list of which only the rows in sight exist, for any number of rows. */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const { label, total, rowHeight, load, row, header, rowClass = "", open, memory } = props;
  const base = useId();
  const element = useRef<HTMLDivElement>(null);
  const heading = useRef<HTMLDivElement>(null);
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [scroll] = useState(() => new TallScroll());
  const [viewport, setViewport] = useState(0);
  const [active, setActive] = useState(() => remembered.get(memory ?? "")?.active ?? 0);
  const [, redraw] = useReducer((n: number, _: void) => n + 1, 0);
  scroll.layout(total * rowHeight, viewport);

  const firstRow = () => Math.max(0, Math.floor(scroll.position / rowHeight) - OVERSCAN);
  const first = firstRow();
  const last = Math.min(total, Math.ceil((scroll.position + viewport) / rowHeight) + OVERSCAN);
  const { at, error, retry } = usePages(load, total, first, last);

  const scrollTo = (top: number) => {
    if (element.current) element.current.scrollTop = top;
    redraw();
  };

  useLayoutEffect(() => {
    const grid = element.current;
    if (grid === null) return;
    const measure = () => setViewport(grid.clientHeight - (heading.current?.offsetHeight ?? 0));
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(grid);
    return () => watch.disconnect();
  }, []);

  const restored = useRef(false);
  useLayoutEffect(() => {
    if (viewport === 0 || restored.current) return;
    restored.current = true;
    scrollTo(scroll.moveTo(remembered.get(memory ?? "")?.position ?? 0));
  }, [viewport]);

  const latest = useRef(active);
  latest.current = active;
  useEffect(
    () => () => {
      clearTimeout(pause.current);
      if (memory !== undefined) remembered.set(memory, { position: scroll.position, active: latest.current });
    },
    [],
  );

  const onScroll = () => {
    const grid = element.current;
    if (grid === null) return;
    const { shift } = scroll;
    const before = firstRow();
    if (scroll.scrolled(grid.scrollTop)) scrollTo(scroll.anchor());
    else if (firstRow() !== before || scroll.shift !== shift) redraw();
    if (!scroll.isScaled) return;
    clearTimeout(pause.current);
    pause.current = setTimeout(() => scrollTo(scroll.anchor()), PAUSE_MILLISECONDS);
  };

  const activate = (wanted: number) => {
    const next = Math.min(Math.max(0, wanted), total - 1);
    const upper = next * rowHeight;
    const lower = upper + rowHeight - viewport;
    setActive(next);
    if (upper < scroll.position) scrollTo(scroll.moveTo(upper));
    else if (lower > scroll.position) scrollTo(scroll.moveTo(lower));
    element.current?.focus({ preventScroll: true });
  };

  const openRow = (index: number) => {
    const item = at(index);
    if (item !== undefined) open?.(item);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const screen = Math.max(1, Math.floor(viewport / rowHeight) - 1);
    const to: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + screen,
      PageUp: active - screen,
      Home: 0,
      End: total - 1,
    };
    const next = to[event.key];
    if (next !== undefined) activate(next);
    else if (event.key === "Enter" && event.target === element.current) openRow(active);
    else return;
    event.preventDefault();
  };

  useKeys(
    { j: () => activate(active + 1), k: () => activate(active - 1) },
    { "j / k, ↓ / ↑": "Next or previous row", "Home / End": "First or last row", ...(open && { Enter: "Open the row" }) },
  );

  // A row that is the same element as before is not looked at again while the reader scrolls.
  const drawn = useMemo(() => new Map<number, DrawnRow<T>>(), [row, open, load]);
  const rows = [];
  for (let index = first; index < last; index += 1) {
    const item = at(index);
    const isActive = index === active;
    const before = drawn.get(index);
    if (before !== undefined && before.item === item && before.isActive === isActive) {
      rows.push(before.element);
      continue;
    }
    const element = (
      <div
        key={index}
        id={`${base}-${index}`}
        role="row"
        class={`list-row ${rowClass} ${isActive ? "active" : ""}`}
        aria-rowindex={index + (header ? 2 : 1)}
        aria-selected={isActive}
        style={{ height: `${rowHeight}px` }}
        onClick={(event) => {
          setActive(index);
          if (event.target instanceof Element && event.target.closest("a, button, input, label") === null) openRow(index);
        }}
      >
        {item === undefined ? <Cell class="skeleton-cell"><span class="skeleton" /></Cell> : row(item, index)}
      </div>
    );
    drawn.set(index, { item, isActive, element });
    rows.push(element);
  }
  for (const index of drawn.keys()) {
    if (index < first || index >= last) drawn.delete(index);
  }
  const shown = active >= first && active < last;
  return (
    <>
      {error && <Failed error={error} retry={retry} />}
      <div
        ref={element}
        class={open ? "list opens" : "list"}
        role="grid"
        tabIndex={0}
        aria-label={label}
        aria-rowcount={total + (header ? 1 : 0)}
        aria-activedescendant={shown ? `${base}-${active}` : undefined}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
      >
        {header && (
          <div ref={heading} role="row" class={`list-head ${rowClass}`} aria-rowindex={1}>
            {header}
          </div>
        )}
        <div class="list-space" role="presentation" style={{ height: `${scroll.height}px` }}>
          <div class="list-window" role="presentation" style={{ top: `${first * rowHeight + scroll.shift}px` }}>
            {rows}
          </div>
        </div>
      </div>
    </>
  );
}
