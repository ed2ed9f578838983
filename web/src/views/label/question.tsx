/** One pair to be labelled. */

import { useEffect, useMemo } from "preact/hooks";

import { post } from "../../lib/api";
import { type Verdict, verdictText } from "../../lib/decide";
import { sentence, titleOf } from "../../lib/format";
import { useKeys } from "../../lib/keys";
import { setQueue } from "../../lib/pairs";
import { Link } from "../../lib/router";
import { done, failed, undo } from "../../lib/undo";
import { type Piece, piecesOfBoth } from "../../lib/word-diff";
import { Bar, Button, Failed, Loading, Name } from "../../parts";
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

  const pairs = queue.map(({ a, b }) => [a, b] as const);
  return (
    <section class="card" aria-label="Pair to label">
      <div class="row label-head">
        <span>{sentence(question.reason)}</span>
        <span class="muted">Confidence</span>
        <Bar value={question.confidence} />
        <Link to={["pairs", question.a, question.b]} query={{ queue: "label" }} onClick={() => setQueue(pairs, "Pairs to label")}>
          Compare in full
        </Link>
      </div>
      {error && <Failed error={error} retry={retry} />}
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

/** The next pair is shown meanwhile. */
async function give(question: Question, [left, right]: [Excerpt, Excerpt], duplicate: boolean, changed: () => void): Promise<void> {
  const set = (verdict: Verdict) => post("/api/decisions", { a: left.id, b: right.id, duplicate: verdict });
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
        <Name id={excerpt.id} title={excerpt.title} to={["documents", excerpt.id]} />
      </h2>
      <div class="label-text differences" dir="auto" role="region" aria-label={`Beginning of ${side}: ${titleOf(excerpt)}`} tabIndex={0}>
        {excerpt.text === "" && <span class="muted">This document has no text.</span>}
        {pieces.map((piece, place) => (piece.differs ? <Only key={place}>{piece.text}</Only> : piece.text))}
        {excerpt.cut && <span class="muted"> … the text goes on</span>}
      </div>
    </article>
  );
}
