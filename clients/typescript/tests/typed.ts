/** What the types allow and what they refuse; compiled, never run. */

import { Content, Lookalike, LookalikeError, linesOf, type Answer, type BulkAnswer, type Id } from "lookalike-client";

export async function allowed(client: Lookalike): Promise<void> {
  const answer: Answer = await client.checkDocument({ text: "a", title: null }, { passages: true }, { timeout: 5 });
  const best: Id | undefined = answer.matches[0]?.id;
  await client.checkDocument(new Content("message/rfc822", new Uint8Array()));
  await client.explainPair(1n, "b", { a_labels: "red" });
  const nothing: void = await client.decide({ a: 1, b: "2", duplicate: null });
  for await (const line of client.addDocuments([{ id: 1, text: "a" }], { policy: "reject" })) told(line);
  for await (const line of linesOf<{ id: Id }>(await client.exportRemovals({ format: "jsonl" }))) String(line.id);
  await client.uploadCorpus(new Content("text/csv", "a,b"), { name: "labels.csv" });
  void [best, nothing];
}

function told(line: BulkAnswer): string {
  if ("error" in line) return line.error.code;
  return line.verdict;
}

export async function refused(client: Lookalike, error: LookalikeError): Promise<void> {
  // @ts-expect-error: no such policy
  await client.addDocument({ id: 1 }, { policy: "burn" });
  // @ts-expect-error: a check takes mail, not tables
  await client.checkDocument(new Content("text/csv", ""));
  // @ts-expect-error: a number is no text
  await client.checkDocument({ text: 5 });
  // @ts-expect-error: there is no such operation
  await client.burn();
  // @ts-expect-error: an answer is read only
  error.code = "";
}
