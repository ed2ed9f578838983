import { moment, similarity } from "../../lib/format";
import { nameOf } from "../../lib/names";
import type { Keeper, Pair } from "../../lib/types";
import { undo } from "../../lib/undo";
import { Bar, Button, Contradiction } from "../../parts";
import type { PairData } from "./load";
import { type Choice, isKeeper } from "./settle";
import { VerdictTag } from "./verdict-tag";

interface JudgeProps {
  data: PairData;
  keepers: readonly Keeper[];
  settling: boolean;
  mayDecide: boolean;
  /** May also say which one stays. */
  mayKeep: boolean;
  settle: (choice: Choice) => void;
}

/** How alike the two are, what was decided of them, and the buttons to decide. */
export function Judge({ data, keepers, settling, mayDecide, mayKeep, settle }: JudgeProps) {
  const { pair, left, right } = data;
  const method = pair.methods[0];
  const duplicate = pair.decision?.duplicate;
  const choices: [Choice, label: string, key: string, isChosen: boolean][] = [
    ["duplicate", "Duplicates", "d", duplicate === true],
    ["different", "Not duplicates", "x", duplicate === false],
  ];
  if (mayKeep) {
    choices.push(["left", "Keep left", "l", duplicate === true && isKeeper(keepers, nameOf(left))]);
    choices.push(["right", "Keep right", "r", duplicate === true && isKeeper(keepers, nameOf(right))]);
  }
  return (
    <section class="pair-judge" aria-label="Decision">
      {method && (
        <div class="row">
          <Bar value={method.similarity} threshold={method.threshold} />
          <VerdictTag verdict={method.verdict} />
          <span class="muted">
            {method.method}, {method.measure}, threshold {similarity(method.threshold)}
          </span>
          {pair.identical ? <span class="tag good">identical texts</span> : <span class="tag">{differs(pair.difference)}</span>}
          <Contradiction streams={pair.streams} />
        </div>
      )}
      <p class="pair-decision" aria-live="polite">
        {pair.decision ? (
          <>
            Decided: <strong>{pair.decision.duplicate ? "duplicates" : "not duplicates"}</strong>, by {pair.decision.by || "somebody"},{" "}
            {moment(pair.decision.time)}
          </>
        ) : (
          "Nobody has decided yet."
        )}
      </p>
      {(pair.notes.length > 0 || pair.tags.length > 0) && (
        <p class="pair-remarks" dir="auto">
          {pair.tags.map((tag) => (
            <span key={tag} class="tag good">
              {tag}
            </span>
          ))}{" "}
          {pair.notes.map(({ by, text }) => `${by}: ${text}`).join("; ")}
        </p>
      )}
      {mayDecide && (
        <div class="row" role="group" aria-label="Decide">
          {choices.map(([choice, label, key, isChosen]) => (
            <Button key={choice} busy={settling} aria-pressed={isChosen} aria-keyshortcuts={key} onClick={() => settle(choice)}>
              {label}&nbsp;<kbd aria-hidden="true">{key}</kbd>
            </Button>
          ))}
          {pair.decision && (
            <Button kind="quiet" busy={settling} onClick={() => settle("none")}>
              Take decision back
            </Button>
          )}
          <Button kind="quiet" aria-keyshortcuts="u" onClick={() => void undo()}>
            Undo&nbsp;<kbd aria-hidden="true">u</kbd>
          </Button>
        </div>
      )}
    </section>
  );
}

/** In which way the right text differs from the left one. */
function differs(kinds: Pair["difference"]): string {
  return kinds.includes("none") ? "differs in white space only" : `differs in: ${kinds.join(", ")}`;
}
