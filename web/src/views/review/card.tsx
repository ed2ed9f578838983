/** One pair of the queue: the two documents, what differs, what to decide. */

import { useEffect, useState } from "preact/hooks";

import { post } from "../../lib/api";
import { type Verdict, decisionOf, verdictText } from "../../lib/decide";
import { bytes, date, plural } from "../../lib/format";
import { useKeys } from "../../lib/keys";
import { nameOf } from "../../lib/names";
import { toCluster, toDocument, toPair } from "../../lib/places";
import { Link } from "../../lib/router";
import type { ReviewPair, ReviewSide } from "../../lib/types";
import { done, failed, undo } from "../../lib/undo";
import { Bar, Button, Failed, Loading, Name } from "../../parts";
import { NameBelow } from "../../parts/name";
import { DiffTab } from "../pair/diff-tab";
import { fetchAhead, usePair } from "../pair/load";
import type { Review } from "./queue";
import { RemarkForm, type RemarkKind } from "./remarks";

interface CardProps {
  pair: ReviewPair;
  next: ReviewPair | undefined;
  review: Review;
  /** How differences are shown, which stays from pair to pair. */
  given: Record<string, string>;
  change: (more: Record<string, string | null>) => void;
  mayDecide: boolean;
}

export function Card({ pair, next, review, given, change, mayDecide }: CardProps) {
  const [a, b] = [nameOf(pair.a), nameOf(pair.b)];
  const { data, error, reload } = usePair(a, b);
  const [remark, setRemark] = useState<RemarkKind | null>(null);
  useEffect(() => {
    if (next !== undefined && data !== undefined) fetchAhead([nameOf(next.a), nameOf(next.b)]);
  }, [next, data]);

  const isReady = data !== undefined;
  const decide = (duplicate: boolean) => {
    // What nobody has seen cannot be decided.
    if (!isReady || !mayDecide) return;
    const set = (verdict: Verdict) => post("/api/decisions", decisionOf(a, b, verdict));
    review.takeOut(pair, true);
    set(duplicate).then(
      () =>
        done(verdictText(duplicate), async () => {
          await set(null);
          review.putBack(pair, true);
        }),
      (failure: unknown) => {
        review.putBack(pair, true);
        failed(failure);
      },
    );
  };
  const skip = () => {
    review.takeOut(pair, false);
    done("Skipped", async () => review.putBack(pair, false));
  };
  const open = (kind: RemarkKind) => mayDecide && setRemark(kind);
  useKeys(
    { d: () => decide(true), x: () => decide(false), s: skip, c: () => open("note"), t: () => open("tags") },
    { s: "Skip", ...(mayDecide && { d: "Duplicates", x: "Not duplicates", c: "Note", t: "Tags" }) },
  );

  return (
    <section class="card review-card" aria-label="Pair to review" data-ready={isReady}>
      <div class="row review-head">
        {pair.similarity === null ? <span class="tag warn">never compared</span> : <Bar value={pair.similarity} />}
        {pair.size !== undefined && (
          <Link {...toCluster(a)}>
            cluster of {plural(pair.size, "document")}
          </Link>
        )}
        {data?.pair.difference.map((kind) => (
          <span key={kind} class="tag">
            {kind}
          </span>
        ))}
        {pair.tags.map((tag) => (
          <span key={tag} class="tag good">
            {tag}
          </span>
        ))}
        <Link {...toPair(a, b)}>Compare in full</Link>
      </div>
      <div class="pair-sides">
        <Side name="Left" side={pair.a} />
        <Side name="Right" side={pair.b} />
      </div>
      {pair.notes.map((note) => (
        <p key={note.by} class="review-note" dir="auto">
          <strong>{note.by}:</strong> {note.text}
        </p>
      ))}
      {remark !== null && <RemarkForm kind={remark} pair={pair} review={review} close={() => setRemark(null)} />}
      <div class="row review-buttons" role="group" aria-label="Decide">
        {mayDecide && (
          <>
            <Button kind="primary" disabled={!isReady} aria-keyshortcuts="d" onClick={() => decide(true)}>
              Duplicates&nbsp;<kbd aria-hidden="true">d</kbd>
            </Button>
            <Button kind="primary" disabled={!isReady} aria-keyshortcuts="x" onClick={() => decide(false)}>
              Not duplicates&nbsp;<kbd aria-hidden="true">x</kbd>
            </Button>
          </>
        )}
        <Button aria-keyshortcuts="s" onClick={skip}>
          Skip&nbsp;<kbd aria-hidden="true">s</kbd>
        </Button>
        <Button aria-keyshortcuts="u" onClick={() => void undo()}>
          Undo&nbsp;<kbd aria-hidden="true">u</kbd>
        </Button>
        {mayDecide && (
          <>
            <Button kind="quiet" aria-keyshortcuts="c" onClick={() => open("note")}>
              Note&nbsp;<kbd aria-hidden="true">c</kbd>
            </Button>
            <Button kind="quiet" aria-keyshortcuts="t" onClick={() => open("tags")}>
              Tags&nbsp;<kbd aria-hidden="true">t</kbd>
            </Button>
          </>
        )}
      </div>
      {error && <Failed error={error} retry={reload} />}
      {data === undefined && !error && <Loading lines={10} />}
      {data !== undefined && <DiffTab {...{ data, given, change }} />}
    </section>
  );
}

function Side({ name, side }: { name: string; side: ReviewSide }) {
  const facts = [side.type, side.source, side.time === null ? null : date(side.time), bytes(side.bytes)];
  return (
    <section class="pair-side" aria-label={name}>
      <h2>
        <Name {...side} {...toDocument(nameOf(side))} />
      </h2>
      <NameBelow {...side} />
      <p class="muted review-facts">
        {facts.filter(Boolean).join(" · ")}
        {side.copies > 1 && <> · {plural(side.copies - 1, "identical copy", "identical copies")}, decided with it</>}
      </p>
    </section>
  );
}
