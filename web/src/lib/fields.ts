/** The fields of documents as the page writes and compares them. */

import { titleOf } from "./format";
import { toJson } from "./json";
import type { Id, Stored } from "./types";

/** A text as it is, anything else as JSON. */
export function fieldText(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : toJson(value);
}

/** What a list such as `links` or `images` refers to: texts as they are, objects by the address they hold. */
export function addressesOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  const found = value.map((item: unknown) => {
    if (typeof item !== "object" || item === null) return fieldText(item);
    const { url, href, src } = item as Record<string, unknown>;
    return fieldText(url ?? href ?? src ?? item);
  });
  return [...new Set(found.filter((address) => address !== ""))];
}

/** A stored document by name and title. */
export function named({ id, labels, document: { title } }: Stored): { id: Id; labels: string[]; title: string | null } {
  return { id, labels, title: typeof title === "string" ? title : null };
}

/** Its title or id, short enough for a message. */
export function shortName(stored: Stored): string {
  const LONGEST = 60;
  const characters = [...titleOf(named(stored))];
  return characters.length <= LONGEST ? characters.join("") : `${characters.slice(0, LONGEST - 1).join("")}…`;
}

export function textOf({ document: { text } }: Stored): string {
  return typeof text === "string" ? text : "";
}

/** When it was written, by the first of the fields that keep rules look at. */
export function timeOf({ document }: Stored): string | number | undefined {
  const times = [document.time, document["date"], document["timestamp"]];
  return times.find((value): value is string | number => typeof value === "string" || typeof value === "number");
}
