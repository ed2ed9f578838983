/** Offline runs: to start and follow them, and to speak of them. */

import { post } from "./api";
import { type Data, useData } from "./data";
import { count, plural } from "./format";
import { usePoll } from "./poll";
import type { Job, JobSource, JobState, NewJob } from "./types";

export const kindNames: Record<NewJob["kind"], string> = {
  dedup: "Find duplicates",
  train: "Train a classifier",
  evaluate: "Judge a method",
  ask: "Choose pairs to label",
  apply: "Apply a run's pairs",
  undo: "Undo a run's pairs",
};

export const stateNames: Record<JobState, string> = {
  queued: "Waiting",
  running: "Running",
  done: "Done",
  failed: "Failed",
  cancelled: "Cancelled",
};

export function startJob(job: NewJob): Promise<Job> {
  return post<Job>("/api/jobs", job);
}

export function jobPath(id: number | string): string {
  return `/api/jobs/${encodeURIComponent(String(id))}`;
}

export function jobFilePath(id: number | string, name: string): string {
  return `${jobPath(id)}/file?name=${encodeURIComponent(name)}`;
}

export function isUnderWay(job: Job): boolean {
  return job.state === "queued" || job.state === "running";
}

/** A job, asked for again and again until it has ended. */
export function useJob(id: number | string | null): Data<Job> {
  const answer = useData<Job>(id === null ? null : jobPath(id));
  // While another job is awaited, what is held is still the one before.
  const current = answer.data !== undefined && String(answer.data.id) === String(id) ? answer.data : undefined;
  usePoll(answer.reload, current !== undefined && isUnderWay(current), current);
  return { ...answer, data: current };
}

/** Where documents come from, in a few words. */
export function sourceText(source: JobSource | undefined): string {
  if (source === undefined) return "–";
  const { index = false, uploads = [], paths = [] } = source;
  const named = [...uploads, ...paths];
  const files = named.length <= 2 ? named : [plural(named.length, "file")];
  return [...(index ? ["the index"] : []), ...files].join(", ") || "–";
}

/** How a job compares, in a few words. */
export function methodText({ kind, of, method, recipe, clustering, classifier, set, questions }: NewJob): string {
  if (of != null) return `those of run ${of}`;
  if (kind === "ask") return questions == null ? "–" : plural(questions, "pair");
  const learner = classifier ?? (kind === "train" ? "vote" : undefined);
  const changes = Object.keys(set ?? {}).length;
  const parts = [
    kind === "train" ? undefined : recipe == null ? (method ?? "minhash") : "own recipe",
    clustering,
    learner === undefined ? undefined : `classifier ${learner}`,
    changes > 0 ? `${count(changes)} changed` : undefined,
  ];
  return parts.filter((part) => part != null).join(", ");
}
