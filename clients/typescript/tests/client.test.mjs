// The client against the real service.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Content, Lookalike, LookalikeError, linesOf, toJson } from "lookalike-client";

import { root, samples, serve } from "../../../web/e2e/service.mjs";

let service, client, open;
before(async () => {
  [service, open] = await Promise.all([
    serve({ token: [["chief", "admin"], ["reader", "read", ["red"]]], settings: ["--with", "prefix=/lookalike"] }),
    serve({ documents: [] }),
  ]);
  client = new Lookalike(`${service.url}/lookalike/`, { token: service.tokens.chief });
});
after(() => Promise.all([service?.stop(), open?.stop()]));

const known = samples().find((document) => document.id === "press-release");
const refused = (code, status) => (error) => error instanceof LookalikeError && error.code === code && error.status === status;
const collect = async (lines) => {
  const all = [];
  for await (const line of lines) all.push(line);
  return all;
};

test("every operation reaches its route", async () => {
  const { paths } = JSON.parse(readFileSync(join(root, "docs", "openapi.json"), "utf8"));
  const methods = new Set(Object.getOwnPropertyNames(Lookalike.prototype).filter((name) => !["constructor", "url"].includes(name)));
  const asked = [];
  const recording = new Lookalike(open.url, { fetch: (url, init) => (asked.push(`${init.method} ${new URL(url).pathname}`), fetch(url, init)) });
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { operationId, requestBody, parameters = [] }] of Object.entries(operations)) {
      if (["page", "asset"].includes(operationId)) continue;
      assert.ok(methods.delete(operationId), operationId);
      const places = parameters.filter((parameter) => parameter.in === "path");
      const lines = requestBody?.content["application/x-ndjson"];
      const body = requestBody?.content["application/json"]?.schema.$ref?.endsWith("/Nothing") || !requestBody ? [] : [lines ? [{ id: 1 }] : {}];
      const given = recording[operationId](...places.map(() => "a/b"), ...body);
      const answer = await (Symbol.asyncIterator in given ? collect(given) : given).catch((error) => error);
      if (answer instanceof Error) {
        assert.ok(answer instanceof LookalikeError, `${operationId}: ${answer.stack}`);
        const wrong = ["no-such-route", "method-not-allowed", "unsupported-media-type", "not-lookalike", "unreachable"];
        assert.ok(!wrong.includes(answer.code), `${operationId}: ${answer.code}: ${answer.message}`);
      }
      assert.equal(asked.pop(), `${method.toUpperCase()} ${places.reduce((text, { name }) => text.replace(`{${name}}`, "a%2Fb"), path)}`);
    }
  }
  assert.deepEqual([...methods], [], "methods that no operation has");
});

test("documents are checked, inserted, shown and removed", async () => {
  const answer = await client.checkDocument({ text: `${known.text} One more.` }, { passages: true });
  assert.deepEqual([answer.verdict, answer.matches[0].id], ["near-duplicate", "press-release"]);
  assert.ok(answer.matches[0].passages.length > 0);
  const mail = `From: a@example.org\nSubject: x\nContent-Type: text/plain; charset=utf-8\n\n${known.text}\n`;
  const asMail = await client.checkDocument(new Content("message/rfc822", new TextEncoder().encode(mail)));
  assert.equal(asMail.matches[0].id, "press-release");
  const id = "http://example.org/a?b=%2F#ü";
  assert.equal((await client.addDocument({ id, text: "Nobody has read this before, nowhere on this earth.", labels: ["red"] })).action, "inserted");
  assert.equal((await client.getDocument(id)).id, id);
  assert.equal(await client.removeDocument(id, { labels: "red" }), undefined);
  await assert.rejects(client.getDocument(id), refused("not-found", 404));
});

test("documents stream, a verdict each, with the numbers of their lines", async () => {
  async function* documents() {
    for (let number = 0; number < 1100; number += 1) {
      yield number === 700 ? { id: "", text: 5 } : { id: `stream-${number}`, text: Array.from({ length: 12 }, (_, place) => `w${number * 12 + place}`).join(" ") };
    }
  }
  const answers = await collect(client.addDocuments(documents(), { limit: 1 }));
  assert.deepEqual(answers.map((answer) => answer.line), Array.from({ length: 1100 }, (_, number) => number + 1));
  assert.deepEqual(answers.flatMap((answer) => ("error" in answer ? [[answer.line, answer.error.code]] : [])), [[701, "bad-document"]]);
  assert.equal(answers[1099].id, "stream-1099");
  // Who has seen enough leaves.
  for await (const answer of client.addDocuments(documents())) {
    assert.equal(answer.action, "unchanged");
    break;
  }
});

test("ids beyond 2^53 stay what they are", async () => {
  const [id, near] = [18446744073709551615n, 18446744073709551614n];
  await client.addDocument({ id, text: `${known.text} Large.` });
  await client.addDocument({ id: near, text: `${known.text} Larger.` });
  assert.equal((await client.getDocument(id)).id, id);
  const { matches } = await client.checkDocument({ text: `${known.text} Large.` });
  assert.ok(matches.some((match) => match.id === id) && matches.some((match) => match.id === near));
  await client.decide({ a: id, b: near, duplicate: false });
  const { decisions } = await client.listDecisions();
  assert.ok(decisions.some(({ a, b }) => [a, b].includes(id) && [a, b].includes(near)));
});

test("errors have the codes of the service", async () => {
  const reader = new Lookalike(`${service.url}/lookalike`, { token: service.tokens.reader });
  await assert.rejects(reader.addDocument({ id: "a", text: "b" }), refused("forbidden", 403));
  await assert.rejects(new Lookalike(`${service.url}/lookalike`).me(), refused("unauthorized", 401));
  await assert.rejects(client.checkDocument({ text: "x" }, { limit: 0 }), refused("bad-request", 400));
  for (const labels of [["red"], ["blue"]]) await client.addDocument({ id: "two", text: "Two documents have this name.", labels });
  await assert.rejects(client.getDocument("two"), (error) => {
    assert.deepEqual([error.code, error.status, error.choices.map((choice) => choice.labels)], ["ambiguous", 409, [["blue"], ["red"]]]);
    assert.match(error.requestId, /^[0-9a-f]{16}$/);
    return true;
  });
  for (const id of ["", ".", ".."]) await assert.rejects(async () => client.getDocument(id), refused("bad-id", undefined));
});

test("a corpus is uploaded, a job works on it, and its file is read line by line", async () => {
  const upload = await client.uploadCorpus(samples(), { name: "all.jsonl" });
  assert.ok(upload.bytes > 10_000, JSON.stringify(upload));
  let job = await client.submitJob({ kind: "dedup", testing: { uploads: ["all.jsonl"] } });
  while (job.state === "queued" || job.state === "running") {
    await new Promise((resolve) => setTimeout(resolve, 50));
    job = await client.getJob(job.id);
  }
  assert.equal(job.state, "done", job.error);
  const removed = await collect(linesOf(await client.getJobFile(job.id, { name: "deduped/removed.jsonl" })));
  assert.equal(removed.length, job.summary.report.removed);
  assert.ok(removed.some((line) => line.id === "product-lamp" || line.id === "product-lamp-shop"));
  assert.match(await client.metrics(), /^lookalike_/m);
});

test("what the service has no room for is sent again", async () => {
  const slow = await serve({ documents: [], settings: ["--with", "rate=2"] });
  try {
    let sent = 0;
    const count = (url, init) => ((sent += 1), fetch(url, init));
    const patient = new Lookalike(slow.url, { fetch: count, retries: 9 });
    await Promise.all(Array.from({ length: 6 }, () => patient.me()));
    assert.ok(sent > 6, `${sent} requests`);
    const hasty = new Lookalike(slow.url, { retries: 0 });
    await assert.rejects(Promise.all(Array.from({ length: 20 }, () => hasty.me())), refused("rate-limited", 429));
  } finally {
    await slow.stop();
  }
});

test("toJson and parseJson are inverse", async () => {
  const { parseJson } = await import("lookalike-client");
  const text = '{"a":-9007199254740993,"b":[1.2345678901234567890,12345678901234567890e5,9007199254740991],"c":"12345678901234567890 \\\\\\" 12345678901234567890","d\\\\":[0]}';
  assert.deepEqual(parseJson(text), {
    a: -9007199254740993n,
    b: [1.2345678901234567, 1.2345678901234567e24, 9007199254740991],
    c: '12345678901234567890 \\" 12345678901234567890',
    "d\\": [0],
  });
  assert.equal(toJson(parseJson("[18446744073709551615,1]")), "[18446744073709551615,1]");
  assert.throws(() => parseJson('"1234567890123456'), SyntaxError);
});
