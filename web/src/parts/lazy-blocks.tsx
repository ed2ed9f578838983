import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { scrollTo } from "../lib/scroll-to";

interface LazyBlocksProps {
  /** What they are, for screen readers. */
  label: string;
  blocks: number;
  /** How high a block will be, roughly. */
  height: (block: number) => number;
  /** Elements that can be scrolled to have `data-item`. */
  render: (block: number) => ComponentChildren;
  /** Another object scrolls to the element in the block. */
  shown?: { block: number; item: number };
  class?: string;
}

/** How far beyond its edges the box looks ahead. */
const AHEAD = "600px 0px";

/** Blocks that are made when they come near. Another list of blocks needs another `key`. */
export function LazyBlocks({ label, blocks, height, render, shown, class: more }: LazyBlocksProps) {
  const box = useRef<HTMLDivElement>(null);
  const [made, setMade] = useState<ReadonlySet<number>>(() => new Set([0]));

  useEffect(() => {
    const root = box.current;
    if (root === null) return;
    const watch = new IntersectionObserver(
      (entries) => {
        const near = entries.filter((entry) => entry.isIntersecting).map((entry) => entry.target);
        if (near.length === 0) return;
        for (const element of near) watch.unobserve(element);
        setMade((old) => new Set([...old, ...near.map(numberOf)]));
      },
      { root, rootMargin: AHEAD },
    );
    for (const child of root.children) watch.observe(child);
    return () => watch.disconnect();
  }, [blocks]);

  useEffect(() => {
    if (shown !== undefined) setMade((old) => (old.has(shown.block) ? old : new Set([...old, shown.block])));
  }, [shown]);
  const isMade = shown !== undefined && made.has(shown.block);
  useLayoutEffect(() => {
    const item = shown && box.current?.querySelector(`[data-item="${shown.item}"]`);
    if (!isMade || box.current === null || !item) return;
    item.classList.add("shown");
    scrollTo(box.current, item);
    return () => item.classList.remove("shown");
  }, [shown, isMade]);

  return (
    <div ref={box} class={more ? `lazy-blocks ${more}` : "lazy-blocks"} role="region" aria-label={label} tabIndex={0}>
      {Array.from({ length: blocks }, (_, block) => (
        <LazyBlock key={block} block={block} isMade={made.has(block)} {...{ height, render }} />
      ))}
    </div>
  );
}

interface LazyBlockProps extends Pick<LazyBlocksProps, "height" | "render"> {
  block: number;
  isMade: boolean;
}

function LazyBlock({ block, isMade, height, render }: LazyBlockProps) {
  const content = useRef<ComponentChildren>(undefined);
  // Made once: a block never changes.
  if (isMade) content.current ??= render(block);
  return (
    <div data-block={block} style={isMade ? undefined : { height: `${height(block)}px` }}>
      {content.current}
    </div>
  );
}

function numberOf(element: Element): number {
  return element instanceof HTMLElement ? Number(element.dataset["block"]) : 0;
}
