/** What is looked up: a text, or a file in any format that the service reads. */

import { post, withQuery } from "../../lib/api";
import { nameText, plural, sentence } from "../../lib/format";
import type { Answer } from "../../lib/types";

/** The document as it is sent, without an id. */
export interface Asked {
  text?: string;
  /** A file in base64. */
  content?: string;
  title?: string;
  url?: string;
}

export const policies: readonly (readonly [name: string, about: string])[] = [
  ["", "As the service is set up"],
  ["report", "Insert it, and tell what it resembles"],
  ["reject", "Leave it out if it resembles a known one"],
  ["replace", "Insert it, and remove what it resembles"],
  ["keep-best", "Keep the one that the keep rules like best"],
  ["version", "Insert it as the next version of what it resembles"],
];

export function check(asked: Asked): Promise<Answer> {
  return post<Answer>(withQuery("/api/check", { passages: true }), asked);
}

export function insert(asked: Asked, id: string, policy: string): Promise<Answer> {
  return post<Answer>(withQuery("/api/documents", { policy }), { ...asked, id });
}

/** A file as it is sent. */
export async function askedOfFile(file: File, url: string): Promise<Asked> {
  return { content: await base64(file), title: file.name, ...(url !== "" && { url }) };
}

/** The browser's own way, which is fast for large files: a data address, of which only the end is wanted. */
function base64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(new Error(`${file.name} cannot be read`));
    reader.readAsDataURL(file);
  });
}

/** The verdict in words. */
export function verdictOf({ verdict, matching, reason }: Answer): string {
  switch (verdict) {
    case "new":
      return "New: nothing like it is known";
    case "near-duplicate":
      return `A near-duplicate of ${plural(matching, "known document")}`;
    case "duplicate":
      return `A copy: ${plural(matching, "known document is", "known documents are")} like it`;
    case "unreadable":
      return withReason("Nothing can be compared", reason);
  }
}

export function actionOf({ action, id, reason, replaced = [], replaced_labels: labels = [] }: Answer): string {
  const names = replaced.map((other, place) => nameText({ id: other, labels: labels[place] }));
  const gone = names.length === 0 ? "" : ` It replaced ${names.join(", ")}.`;
  switch (action) {
    case "checked":
      return "It was only looked at.";
    case "inserted":
      return `Inserted as ${String(id)}.${gone}`;
    case "updated":
      return `A new version of ${String(id)}.${gone}`;
    case "unchanged":
      return `${String(id)} is known, and nothing of it changed.`;
    case "rejected":
      return sentence(withReason("Left out", reason));
  }
}

function withReason(text: string, reason: string | undefined): string {
  return reason === undefined ? text : `${text}: ${reason}`;
}
