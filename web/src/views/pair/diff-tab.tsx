import { useEffect, useMemo, useState } from "preact/hooks";

import { type Diff, diff } from "../../lib/diff";
import { type Row, rowsOf } from "../../lib/diff-rows";
import { textOf } from "../../lib/fields";
import { plural } from "../../lib/format";
import { useKeys } from "../../lib/keys";
import { inSlices } from "../../lib/slices";
import { failed } from "../../lib/undo";
import { Button, Empty, Loading } from "../../parts";
import { DiffRows, groupsOf, itemsOf } from "./diff-rows";
import type { PairData } from "./load";

interface DiffTabProps {
  data: PairData;
  given: Record<string, string>;
  change: (more: Record<string, string | null>) => void;
}

interface Compared {
  diff: Diff;
  rows: Row[];
}

/** The two texts aligned, with what differs marked; `view=unified` shows them as one, `only=changes` without what is the same. */
export function DiffTab({ data: { pair, left, right }, given, change }: DiffTabProps) {
  const [textA, textB] = [textOf(left), textOf(right)];
  const compared = useDiff(textA, textB);
  const isUnified = given["view"] === "unified";
  const onlyChanges = given["only"] === "changes";
  const items = useMemo(() => itemsOf(compared?.rows ?? [], onlyChanges), [compared, onlyChanges]);
  const groups = useMemo(() => groupsOf(items), [items]);
  const [shown, setShown] = useState<{ group: number }>();
  const target = useMemo(() => {
    const item = shown && groups[shown.group];
    return item === undefined ? undefined : { item };
  }, [shown, groups]);

  const step = (by: number) => {
    const group = shown === undefined ? 0 : shown.group + by;
    if (groups[group] !== undefined) setShown({ group });
  };
  useKeys({ n: () => step(1), p: () => step(-1) }, { "n / p": "Next or previous change" });

  if (pair.identical) return <Empty title="The two texts are the same, byte for byte." />;
  if (compared === undefined) return <Loading lines={12} label="Comparing" />;
  return (
    <div class="pair-diff">
      <div class="row">
        <Button class="small" aria-pressed={!isUnified} onClick={() => change({ view: null })}>
          Side by side
        </Button>
        <Button class="small" aria-pressed={isUnified} onClick={() => change({ view: "unified" })}>
          Unified
        </Button>
        <Button class="small" aria-pressed={onlyChanges} onClick={() => change({ only: onlyChanges ? null : "changes" })}>
          Only changes
        </Button>
        <span aria-live="polite">
          {shown ? `Change ${shown.group + 1} of ${groups.length}` : plural(groups.length, "change")}
        </span>
        <Button class="small" disabled={groups.length === 0} aria-keyshortcuts="p" onClick={() => step(-1)}>
          Previous change
        </Button>
        <Button class="small" disabled={groups.length === 0} aria-keyshortcuts="n" onClick={() => step(1)}>
          Next change
        </Button>
        <span class="muted">{aboutTo(compared.diff)}</span>
      </div>
      <DiffRows key={`${isUnified} ${onlyChanges}`} {...{ items, textA, textB, isUnified }} shown={target} />
    </div>
  );
}

function aboutTo({ level, complete }: Diff): string {
  const about = [];
  if (level === "sentences") about.push("The texts are long, so whole sentences are compared.");
  if (!complete) about.push("Long stretches that differ throughout are shown as replaced.");
  return about.join(" ");
}

function useDiff(textA: string, textB: string): Compared | undefined {
  const [compared, setCompared] = useState<Compared>();
  useEffect(() => {
    const stop = new AbortController();
    setCompared(undefined);
    inSlices(compare(textA, textB), stop.signal).then(setCompared, failed);
    return () => stop.abort();
  }, [textA, textB]);
  return compared;
}

function* compare(textA: string, textB: string): Generator<void, Compared> {
  const found = yield* diff(textA, textB);
  return { diff: found, rows: yield* rowsOf(found) };
}
