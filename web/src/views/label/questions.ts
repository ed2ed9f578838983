/**
 * The pairs that are worth a label, as jobs of the service choose them.
 *
 * They are kept here, outside of components, so that the queue is the same when the reader comes back from a pair's own view. When
 * few are left the next job is started; it may choose pairs again that have no label yet, which are passed over.
 */

import { useEffect, useState } from "preact/hooks";

import { useAction } from "../../lib/action";
import { del, get } from "../../lib/api";
import { useData } from "../../lib/data";
import { isUnderWay, jobFilePath, jobPath, startJob, useJob } from "../../lib/jobs";
import { store, useStore } from "../../lib/store";
import type { Decision, Id, Job, Jobs, Questions } from "../../lib/types";

export type Question = Questions["questions"][number];

interface State {
  /** The job that chooses pairs. Null: there is none; undefined: nobody looked yet. */
  job: number | null | undefined;
  /** The job whose pairs are in the queue. */
  read: number | null;
  queue: readonly Question[];
  result: Questions | null;
  /** The last job chose nothing new. */
  exhausted: boolean;
}

export interface Asking extends State {
  /** Pairs are being chosen. */
  busy: boolean;
  running: Job | undefined;
  error: Error | undefined;
  ask: () => void;
}

const BATCH = 10;
/** The service answers no more. */
const MOST = 200;
/** So many are left when the next job begins: labelling goes on meanwhile. */
const FEW = 4;

const state = store<State>({ job: undefined, read: null, queue: [], result: null, exhausted: false });
/** Pairs without a label that are in the queue or were skipped. */
const open = new Set<string>();
const answered = new Set<string>();
/** Jobs that were started here and not removed yet. */
const started = new Set<number>();

/** The queue, filled as long as the view is shown. Pairs that somebody decided are left out. */
export function useQuestions(decisions: readonly Decision[] | undefined): Asking {
  const now = useStore(state);
  const [failure, setFailure] = useState<Error>();
  const [ask, starting] = useAction(startAsking);
  const jobs = useData<Jobs>(now.job === undefined ? "/api/jobs" : null);
  const current = useJob(now.job ?? null);

  useEffect(() => {
    if (now.job === undefined && jobs.data !== undefined) patch({ job: lastOf(jobs.data.jobs) });
  }, [now.job, jobs.data]);

  const ended = current.data?.state === "done" ? current.data.id : null;
  const ready = decisions !== undefined;
  useEffect(() => {
    if (ended === null || ended === now.read || decisions === undefined) return;
    const stop = new AbortController();
    setFailure(undefined);
    get<Questions>(jobFilePath(ended, "questions.json"), stop.signal).then(
      (result) => take(ended, result, decisions),
      (error: Error) => !stop.signal.aborted && setFailure(error),
    );
    return () => stop.abort();
  }, [ended, now.read, ready]);

  const idle = now.job !== undefined && now.job !== null && now.job === now.read;
  useEffect(() => {
    if (idle && now.queue.length <= FEW && !now.exhausted) ask();
  }, [idle, now.queue.length, now.exhausted]);

  const running = current.data !== undefined && isUnderWay(current.data) ? current.data : undefined;
  return {
    ...now,
    ask,
    running,
    busy: starting || running !== undefined || (ended !== null && ended !== now.read && failure === undefined),
    error: failure ?? jobs.error ?? current.error ?? failureOf(current.data),
  };
}

/** Takes a pair out of the queue; with a label it will not be chosen again. */
export function takeOut(question: Question, labelled: boolean): void {
  const name = pairName(question.a, question.b);
  if (labelled) {
    open.delete(name);
    answered.add(name);
  }
  patch({ queue: state.get().queue.filter((other) => other !== question) });
}

/** The pair is the next again. */
export function putBack(question: Question): void {
  const name = pairName(question.a, question.b);
  answered.delete(name);
  open.add(name);
  patch({ queue: [question, ...state.get().queue.filter((other) => other !== question)] });
}

async function startAsking(): Promise<void> {
  try {
    // Those that are open may be chosen again, so as many more are asked for.
    const job = await startJob({ kind: "ask", testing: { index: true }, questions: Math.min(MOST, BATCH + open.size) });
    started.add(job.id);
    patch({ job: job.id, exhausted: false });
  } catch (error) {
    // Not again and again by itself.
    patch({ exhausted: true });
    throw error;
  }
}

function take(job: number, result: Questions, decisions: readonly Decision[]): void {
  const decided = new Set(decisions.map(({ a, b }) => pairName(a, b)));
  const fresh = result.questions.filter(({ a, b }) => {
    const name = pairName(a, b);
    return !decided.has(name) && !answered.has(name) && !open.has(name);
  });
  for (const { a, b } of fresh) open.add(pairName(a, b));
  const exhausted = fresh.length === 0 && started.has(job);
  patch({ read: job, result, queue: [...state.get().queue, ...fresh], exhausted });
  // What earlier jobs chose is in the queue, and the list of runs would only grow.
  for (const earlier of [...started].filter((other) => other !== job)) {
    started.delete(earlier);
    del(jobPath(earlier)).catch(() => undefined);
  }
}

function patch(change: Partial<State>): void {
  state.set({ ...state.get(), ...change });
}

function lastOf(jobs: readonly Job[]): number | null {
  return jobs.find((job) => job.spec.kind === "ask" && (isUnderWay(job) || job.state === "done"))?.id ?? null;
}

function failureOf(job: Job | undefined): Error | undefined {
  if (job?.state === "failed") return new Error(job.error ?? "the pairs could not be chosen");
  return job?.state === "cancelled" ? new Error("the choice of pairs was cancelled") : undefined;
}

/** The same whichever way round. */
function pairName(a: Id, b: Id): string {
  return JSON.stringify([String(a), String(b)].sort());
}
