/** What was done, told for a while, and taken back on request. */

import { sentence } from "./format";
import { refreshAll } from "./data";
import { store } from "./store";

export interface Notice {
  number: number;
  kind: "done" | "failed";
  message: string;
  undo?: () => Promise<void>;
}

export const notices = store<readonly Notice[]>([]);

const SHOWN = 3;
const REMEMBERED = 50;
const SHOW_MILLISECONDS = 8000;
const FAILURE_MILLISECONDS = 15_000;

let last = 0;
let undoing = false;
const undoable: Notice[] = [];

/** Tells that something was done; with `undo` the reader can take it back. Whatever is shown is asked for anew after an undo. */
export function done(message: string, undo?: () => Promise<void>): void {
  const notice = tell("done", message, undo);
  if (undo === undefined) return;
  undoable.push(notice);
  if (undoable.length > REMEMBERED) undoable.shift();
}

export function failed(error: unknown): void {
  if (error instanceof DOMException && error.name === "AbortError") return;
  tell("failed", sentence(error instanceof Error ? error.message : String(error)));
}

export function dismiss(notice: Notice): void {
  notices.set(notices.get().filter((other) => other !== notice));
}

/** Takes back what the notice tells of; without one, what was done last. */
export async function undo(which?: Notice): Promise<void> {
  const notice = which ?? undoable.at(-1);
  if (undoing || notice?.undo === undefined || !undoable.includes(notice)) return;
  undoing = true;
  try {
    await notice.undo();
    undoable.splice(undoable.indexOf(notice), 1);
    dismiss(notice);
    tell("done", `Taken back: ${notice.message}`);
    refreshAll();
  } catch (error) {
    failed(error);
  } finally {
    undoing = false;
  }
}

function tell(kind: Notice["kind"], message: string, undo?: () => Promise<void>): Notice {
  last += 1;
  const notice: Notice = { number: last, kind, message, undo };
  notices.set([...notices.get(), notice].slice(-SHOWN));
  setTimeout(() => dismiss(notice), kind === "failed" ? FAILURE_MILLISECONDS : SHOW_MILLISECONDS);
  return notice;
}
