/** Training a classifier on the labels. */

import { useState } from "preact/hooks";

import { useAction } from "../../lib/action";
import { useData } from "../../lib/data";
import { count, percent, sentence } from "../../lib/format";
import { isUnderWay, startJob, useJob } from "../../lib/jobs";
import { Link } from "../../lib/router";
import { store, useStore } from "../../lib/store";
import type { Job, Methods } from "../../lib/types";
import { Button, Failed } from "../../parts";
import { LearnerField, USUAL } from "../../parts/learner-field";
import { TrainingResult } from "../run/training-result";

/** Fewer labels of a kind teach nothing. */
const LEAST = 8;

/** The last training that was started here. */
const trained = store<number | null>(null);

export interface Training {
  job: Job | undefined;
  working: boolean;
  train: (classifier: string) => void;
}

export function useTraining(): Training {
  const { data: job } = useJob(useStore(trained));
  const [train, starting] = useAction(async (classifier: string) => {
    const { id } = await startJob({ kind: "train", training: { index: true }, truth: { decisions: true }, classifier });
    trained.set(id);
  });
  return { job, working: starting || (job !== undefined && isUnderWay(job)), train };
}

interface TrainProps {
  training: Training;
  duplicates: number;
  others: number;
}

export function Train({ training: { job, working, train }, duplicates, others }: TrainProps) {
  const enough = duplicates >= LEAST && others >= LEAST;
  const { data: methods, error, reload } = useData<Methods>("/api/methods");
  const [learner, choose] = useState<string>(USUAL);
  return (
    <section class="card">
      <h2>Classifier</h2>
      <p class="muted">
        {enough
          ? "Learns from all decisions what counts as a duplicate."
          : `Needs at least ${count(LEAST)} labels of each kind: ${missing(duplicates, "duplicates")}, ${missing(others, "others")}.`}
      </p>
      {error && <Failed error={error} retry={reload} />}
      {methods && (
        <LearnerField
          label="Learner"
          help="Each is tested on pairs it was not trained on."
          learners={methods.learners}
          value={learner}
          choose={choose}
        />
      )}
      <Button kind="primary" disabled={!enough} busy={working} onClick={() => train(learner)}>
        Train
      </Button>
      <p role="status">
        {working && (job?.progress ? `${sentence(job.progress.stage)} ${percent(job.progress.done)}` : "Waits for the runs before it.")}
      </p>
      {job?.error !== undefined && <Failed error={new Error(job.error)} />}
      {job?.state === "done" && (
        <p>
          <Link to={["run", job.id]}>The model and all of its files</Link>
        </p>
      )}
    </section>
  );
}

/** The report of the last training. */
export function Trained({ training: { job } }: { training: Training }) {
  const report = job?.state === "done" ? job.summary?.training : undefined;
  return report === undefined ? null : <TrainingResult training={report} />;
}

function missing(labels: number, kind: string): string {
  return labels >= LEAST ? `enough ${kind}` : `${count(LEAST - labels)} more ${kind}`;
}
