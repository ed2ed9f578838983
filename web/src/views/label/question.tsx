/** One pair to be labelled. */

import { useEffect, useMemo } from "preact/hooks";

import { post } from "../../lib/api";
import { type Verdict, decisionOf, verdictText } from "../../lib/decide";
import { sentence, titleOf } from "../../lib/format";
import { useKeys } from "../../lib/keys";
import { type Labels, nameOf } from "../../lib/names";
import { type PairNames, setQueue } from "../../lib/pairs";
import { toDocument, toPair } from "../../lib/places";
import { Link, type Place } from "../../lib/router";
import { done, failed, undo } from "../../lib/undo";
import { type Piece, piecesOfBoth } from "../../lib/word-diff";
import { Bar, Button, Loading, Name, Refused } from "../../parts";
import { type Excerpt, fetchExcerpts, useExcerpts } from "./excerpts";
import { type Question, putBack, takeOut } from "./questions";

interface QuestionCardProps {
  queue: readonly Question[];
  question: Question;
  /** A label was given or taken back. */
  changed: () => void;
}

export function QuestionCard({ queue, question, changed }: QuestionCardProps) {
  const { both, error, retry } = useExcerpts(question);
  const next = queue[1];
  useEffect(() => {
    // Who comes to it is told then what is wrong.
    if (next !== undefined) fetchExcerpts(next).catch(() => undefined);
  }, [next]);

  const label = (duplicate: boolean) => {
    if (both === undefined) return;
    takeOut(question, true);
    give(question, both, duplicate, changed).catch((failure: unknown) => {
      putBack(question);
      failed(failure);
    });
  };
  const skip = () => {
    takeOut(question, false);
    done("Skipped", async () => putBack(question));
  };
  useKeys(
    { d: () => label(true), x: () => label(false), s: skip },
    { d: "Duplicates", x: "Not duplicates", s: "Skip" },
  );

  const [a, b] = namesOf(question);
  const choose = (labels: Labels, id: string) =>
    String(a.id) === id ? inFull([{ ...a, labels }, b]) : inFull([a, { ...b, labels }]);
  return (
    <section class="card" aria-label="Pair to label">
      <div class="row label-head">
        <span>{sentence(question.reason)}</span>
        <span class="muted">Confidence</span>
        <Bar value={question.confidence} />
        <Link {...inFull([a, b])} onClick={() => setQueue(queue.map(namesOf), "Pairs to label")}>
          Compare in full
        </Link>
      </div>
      {error && <Refused error={error} retry={retry} choose={choose} />}
      {both !== undefined && <Texts both={both} />}
      {both === undefined && !error && <Loading lines={10} />}
      <div class="row label-buttons">
        {/* What nobody has seen cannot be labelled. */}
        {both !== undefined && (
          <>
            <Button kind="primary" onClick={() => label(true)}>
              Duplicates <kbd>d</kbd>
            </Button>
            <Button kind="primary" onClick={() => label(false)}>
              Not duplicates <kbd>x</kbd>
            </Button>
          </>
        )}
        <Button onClick={skip}>
          Skip <kbd>s</kbd>
        </Button>
        <Button onClick={() => void undo()}>
          Undo <kbd>u</kbd>
        </Button>
      </div>
    </section>
  );
}

/** Runs tell no labels; where an id is not enough, the reader chooses. */
function namesOf({ a, b }: Question): PairNames {
  return [
    { id: a, labels: undefined },
    { id: b, labels: undefined },
  ];
}

function inFull([a, b]: PairNames): Place {
  const { to, query } = toPair(a, b);
  return { to, query: { ...query, queue: "label" } };
}

/** The next pair is shown meanwhile. */
async function give(question: Question, [left, right]: [Excerpt, Excerpt], duplicate: boolean, changed: () => void): Promise<void> {
  const set = (verdict: Verdict) => post("/api/decisions", decisionOf(nameOf(left), nameOf(right), verdict));
  await set(duplicate);
  done(verdictText(duplicate), async () => {
    await set(null);
    putBack(question);
  });
  changed();
}

function Texts({ both: [left, right] }: { both: [Excerpt, Excerpt] }) {
  const [a, b] = useMemo(() => piecesOfBoth(left.text, right.text), [left, right]);
  return (
    <div class="label-texts">
      <Text side="the first" excerpt={left} pieces={a} only="del" />
      <Text side="the second" excerpt={right} pieces={b} only="ins" />
    </div>
  );
}

interface TextProps {
  side: string;
  excerpt: Excerpt;
  pieces: readonly Piece[];
  /** How a piece is marked that the other text has not, as where two documents are compared in full. */
  only: "del" | "ins";
}

function Text({ side, excerpt, pieces, only: Only }: TextProps) {
  return (
    <article>
      <h2>
        <Name id={excerpt.id} labels={excerpt.labels} title={excerpt.title} {...toDocument(nameOf(excerpt))} />
      </h2>
      <div class="label-text differences" dir="auto" role="region" aria-label={`Beginning of ${side}: ${titleOf(excerpt)}`} tabIndex={0}>
        {excerpt.text === "" && <span class="muted">This document has no text.</span>}
        {pieces.map((piece, place) => (piece.differs ? <Only key={place}>{piece.text}</Only> : piece.text))}
        {excerpt.cut && <span class="muted"> … the text goes on</span>}
      </div>
    </article>
  );
}
