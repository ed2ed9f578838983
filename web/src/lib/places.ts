/**
 * The addresses of documents, clusters and pairs within the page.
 *
 * They have labels only where a document has some. The one without labels is named in full, too, once the reader was asked which of
 * several is meant: not at every step again.
 */

import type { Query } from "./api";
import { type DocumentName, labelsOf, labelsText } from "./names";
import type { Place, Route } from "./router";

/** The ids of which the reader was asked, or said it unasked. */
const shared = new Set<string>();

export function rememberShared(id: string): void {
  shared.add(id);
}

export function toDocument(name: DocumentName): Place {
  return { to: ["documents", name.id], query: { labels: told(name) } };
}

/** The cluster of a document. */
export function toCluster(name: DocumentName): Place {
  return { to: ["clusters", name.id], query: { labels: told(name) } };
}

/** With `within` the reader goes on through the pairs of that document's cluster. */
export function toPair(a: DocumentName, b: DocumentName, within?: DocumentName): Place {
  const query: Query = { a_labels: told(a), b_labels: told(b) };
  if (within !== undefined) Object.assign(query, { in: String(within.id), in_labels: told(within) });
  return { to: ["pairs", a.id, b.id], query };
}

/** The members of a document's cluster in the search. */
export function toMembers(name: DocumentName, query: Query): Place {
  return { to: "search", query: { ...query, ...membersQuery(name) } };
}

export function membersQuery(name: DocumentName): Query {
  return { cluster: String(name.id), cluster_labels: told(name) };
}

/** What an address names; `which` is the part of the query that has the labels. */
export function nameIn({ query }: Route, id: string, which: LabelsKey = "labels"): DocumentName {
  const labels = labelsOf(query.get(which));
  // An address that says so must go on to say so.
  if (labels?.length === 0) rememberShared(id);
  return { id, labels };
}

type LabelsKey = "labels" | "a_labels" | "b_labels" | "in_labels" | "cluster_labels";

/** What a view is about: all else in the query only tells how it is shown. */
export function subjectOf({ path, query }: Route): string {
  const labels = (["labels", "a_labels", "b_labels"] as const).map((key) => query.get(key) ?? "-");
  return [...path, ...labels].join("/");
}

/** A name as an address will have it. */
export function asAddressed({ id, labels }: DocumentName): DocumentName {
  const goesWithout = labels?.length === 0 && !shared.has(String(id));
  return { id, labels: goesWithout ? undefined : labels };
}

function told(name: DocumentName): string | undefined {
  return labelsText(asAddressed(name).labels);
}
