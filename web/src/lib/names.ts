/**
 * What documents are called: by an id, and by the access labels that belong to it.
 *
 * Two documents may have the same id under different labels. What the page knows from an answer it names in full, so that no request
 * can mean another document; what somebody typed into the address may have to be asked back.
 */

import { ApiError, type Query, idPath, withQuery } from "./api";
import { idKey } from "./format";
import { parseJson, toJson } from "./json";
import type { ClusterMap, Decision, Id, Stored } from "./types";

export type Labels = readonly string[];

export interface DocumentName {
  id: Id;
  /** All of them. Undefined: not known, and whichever document has the id is meant. */
  labels: Labels | undefined;
}

/** The name of something in an answer, which leaves labels out where there are none. */
export function nameOf({ id, labels = [] }: { id: Id; labels?: Labels }): DocumentName {
  return { id, labels };
}

export function masterOfMap({ members, cluster }: ClusterMap): DocumentName {
  return nameOf(members[0] ?? { id: cluster });
}

export function masterOfStored({ master, master_labels }: Stored): DocumentName | null {
  return master === null ? null : nameOf({ id: master, labels: master_labels });
}

export function sidesOf({ a, b, a_labels, b_labels }: Decision): [DocumentName, DocumentName] {
  return [nameOf({ id: a, labels: a_labels }), nameOf({ id: b, labels: b_labels })];
}

/** For maps and lists. */
export function nameKey({ id, labels = [] }: { id: Id; labels?: Labels }): string {
  return `${idKey(id)} ${labelsKey(labels)}`;
}

export function isSame(one: DocumentName, other: DocumentName): boolean {
  return nameKey(one) === nameKey(other);
}

/** Whether an address that was understood means this document. It has the text of an id, and labels only where they are needed. */
export function isMeant(asked: DocumentName, { id, labels }: DocumentName): boolean {
  if (String(asked.id) !== String(id)) return false;
  return asked.labels === undefined || labels === undefined || labelsKey(asked.labels) === labelsKey(labels);
}

function labelsKey(labels: Labels): string {
  return toJson(labels.toSorted());
}

/** Labels as addresses and requests have them. Never an empty text, which would be left out. */
export function labelsText(labels: Labels | undefined): string | undefined {
  if (labels === undefined) return undefined;
  const isPlain = (label: string) => label !== "" && label === label.trim() && !/[,[]/.test(label);
  return labels.length > 0 && labels.every(isPlain) ? labels.join(",") : toJson(labels);
}

/** The same read again; null: there are none in the address. */
export function labelsOf(text: string | null): Labels | undefined {
  if (text === null) return undefined;
  const list = text.trim().startsWith("[") ? listOf(text) : undefined;
  return list ?? text.split(",").map((label) => label.trim()).filter(Boolean);
}

function listOf(json: string): string[] | undefined {
  try {
    const list = parseJson<unknown>(json);
    return Array.isArray(list) ? list.map(String) : undefined;
  } catch {
    return undefined;
  }
}

/** Where the service has a document, or `part` of what it knows of it. */
export function documentPath({ id, labels }: DocumentName, part = ""): string {
  return withQuery(`/api/documents/${idPath(id)}${part}`, { labels: labelsText(labels) });
}

export function clusterPath({ id, labels }: DocumentName, part = "", query: Query = {}): string {
  return withQuery(`/api/clusters/${idPath(id)}${part}`, { ...query, labels: labelsText(labels) });
}

export function pairPath(a: DocumentName, b: DocumentName): string {
  return withQuery(`/api/pairs/${idPath(a.id)}/${idPath(b.id)}`, { a_labels: labelsText(a.labels), b_labels: labelsText(b.labels) });
}

export interface Ambiguity {
  /** As an address has it. */
  id: string;
  /** The labels of each document that has the id. */
  choices: Labels[];
}

/** The documents between which the service could not choose. */
export function ambiguityOf(error: Error): Ambiguity | undefined {
  if (!(error instanceof ApiError) || error.code !== "ambiguous") return undefined;
  const [first] = error.choices;
  return first && { id: String(first.id), choices: error.choices.map(({ labels }) => labels) };
}
