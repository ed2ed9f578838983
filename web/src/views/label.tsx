/** Labelling: pairs that teach most, one after another, and what the labels tell so far. */

import "../style/label.css";
import { useData } from "../lib/data";
import { withInterval } from "../lib/figures";
import { count, percent, sentence } from "../lib/format";
import { Link } from "../lib/router";
import type { Decisions, Questions } from "../lib/types";
import { Button, Empty, Failed, Loading, Page } from "../parts";
import { Facts } from "../parts/facts";
import { QuestionCard } from "./label/question";
import { type Asking, useQuestions } from "./label/questions";
import { Train, Trained, useTraining } from "./label/training";

export default function Label() {
  const decisions = useData<Decisions>("/api/decisions");
  const asking = useQuestions(decisions.data?.decisions);
  const training = useTraining();
  const labels = decisions.data?.decisions ?? [];
  const duplicates = labels.filter((decision) => decision.duplicate).length;
  const question = asking.queue[0];
  const actions = <Link to="decisions">All decisions</Link>;
  return (
    <Page title="Labelling" lead="Is this the same document? The pairs are those whose answer teaches most." actions={actions}>
      {decisions.error && <Failed error={decisions.error} retry={decisions.reload} />}
      {asking.error && <Failed error={asking.error} retry={asking.ask} />}
      <div class="label-page">
        <div>
          {question === undefined ? (
            <NoQuestion asking={asking} />
          ) : (
            <QuestionCard queue={asking.queue} question={question} changed={decisions.reload} />
          )}
        </div>
        <div>
          <SoFar asking={asking} duplicates={duplicates} others={labels.length - duplicates} />
          <Train training={training} duplicates={duplicates} others={labels.length - duplicates} />
        </div>
      </div>
      <Trained training={training} />
    </Page>
  );
}

function NoQuestion({ asking }: { asking: Asking }) {
  if (asking.busy) {
    const progress = asking.running?.progress;
    return (
      <section class="card">
        <p role="status">{progress ? `Choosing pairs: ${sentence(progress.stage)} ${percent(progress.done)}` : "Choosing pairs."}</p>
        <Loading lines={10} label="Choosing pairs" />
      </section>
    );
  }
  if (asking.job === undefined) return asking.error ? null : <Loading lines={10} />;
  const text = asking.job === null ? "Nothing here yet: no pairs were chosen." : "No pair is left that is worth a label.";
  return (
    <Empty title={text}>
      <p>The index is searched for pairs on which methods or labels disagree. That may take a while for many documents.</p>
      <Button kind="primary" onClick={asking.ask}>
        Find pairs
      </Button>
    </Empty>
  );
}

interface SoFarProps {
  asking: Asking;
  duplicates: number;
  others: number;
}

function SoFar({ asking, duplicates, others }: SoFarProps) {
  return (
    <section class="card">
      <h2>So far</h2>
      <Facts
        facts={[
          ["Labelled duplicates", count(duplicates)],
          ["Labelled not duplicates", count(others)],
          ["Pairs waiting", count(asking.queue.length)],
          ["Next pairs", asking.busy ? "being chosen" : "–"],
        ]}
      />
      {asking.result && <Estimate result={asking.result} />}
    </section>
  );
}

function Estimate({ result }: { result: Questions }) {
  const { estimate, trained, labelled } = result;
  return (
    <>
      <h3>What the labels tell</h3>
      {estimate === null ? (
        <p class="muted">Not enough labels yet to estimate precision and recall.</p>
      ) : (
        <Facts
          facts={[
            ["Precision", withInterval(estimate.precision)],
            ["Recall", withInterval(estimate.recall)],
          ]}
        />
      )}
      <p class="muted">
        From {count(labelled)} labels, as of the last choice of pairs.{" "}
        {trained ? "Confidence is that of a classifier trained on them." : "Confidence is a guess from similarities until there are more."}
      </p>
    </>
  );
}
