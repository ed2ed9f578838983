/** The beginnings of documents, fetched before they are asked about. */

import { useEffect, useState } from "preact/hooks";

import { get } from "../../lib/api";
import { named, textOf } from "../../lib/fields";
import { documentPath } from "../../lib/names";
import type { Id, Stored } from "../../lib/types";
import type { Question } from "./questions";

export interface Excerpt {
  /** As the index has it: a list of pairs may have the text of a number. */
  id: Id;
  labels: string[];
  title: string | null;
  text: string;
  /** There is more. */
  cut: boolean;
}

export interface Excerpts {
  both?: [Excerpt, Excerpt];
  error?: Error;
  retry: () => void;
}

const LENGTH = 2000;
const REMEMBERED = 60;
const known = new Map<string, Asked>();

interface Asked {
  answer: Promise<Excerpt>;
  excerpt?: Excerpt;
}

export function fetchExcerpts({ a, b }: Question): Promise<[Excerpt, Excerpt]> {
  return Promise.all([ask(a).answer, ask(b).answer]);
}

export function useExcerpts(question: Question): Excerpts {
  const [held, hold] = useState<{ of?: Question; both?: [Excerpt, Excerpt]; error?: Error }>({});
  const [round, setRound] = useState(0);
  useEffect(() => {
    let gone = false;
    fetchExcerpts(question).then(
      (both) => !gone && hold({ of: question, both }),
      (error: Error) => !gone && hold({ of: question, error }),
    );
    return () => {
      gone = true;
    };
  }, [question, round]);
  const current = held.of === question ? held : {};
  return { both: current.both ?? atHand(question), error: current.error, retry: () => setRound(round + 1) };
}

/** Without a wait, so that buttons keep the focus from one pair to the next. */
function atHand({ a, b }: Question): [Excerpt, Excerpt] | undefined {
  const [left, right] = [known.get(pathOf(a))?.excerpt, known.get(pathOf(b))?.excerpt];
  return left !== undefined && right !== undefined ? [left, right] : undefined;
}

/** Runs tell no labels. */
function pathOf(id: Id): string {
  return documentPath({ id, labels: undefined });
}

function ask(id: Id): Asked {
  const path = pathOf(id);
  const found = known.get(path);
  if (found !== undefined) return found;
  const asked: Asked = { answer: get<Stored>(path).then(excerptOf) };
  known.set(path, asked);
  asked.answer.then(
    (excerpt) => {
      asked.excerpt = excerpt;
    },
    () => known.delete(path),
  );
  const oldest = known.keys().next();
  if (known.size > REMEMBERED && !oldest.done) known.delete(oldest.value);
  return asked;
}

function excerptOf(stored: Stored): Excerpt {
  const text = textOf(stored);
  return { ...named(stored), text: beginning(text), cut: text.length > LENGTH };
}

/** Not within a character. */
function beginning(text: string): string {
  const last = text.charCodeAt(LENGTH - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? LENGTH - 1 : LENGTH);
}
