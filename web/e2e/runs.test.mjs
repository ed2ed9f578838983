// Offline runs: earlier and large uploads, a clustering with a classifier, cancelling.

import assert from "node:assert/strict";
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { eventually, launch, serve, tab } from "./support.mjs";

let service, browser, folder;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "lookalike-e2e-corpora-"));
  [service, browser] = await Promise.all([serve(), launch()]);
});
after(async () => {
  await browser?.close();
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const json = async (path) => (await fetch(`${service.url}${path}`)).json();
const jobs = async () => (await json("/api/jobs")).jobs;
const state = async (id) => (await json(`/api/jobs/${id}`)).state;

/** Numbers that look random and are the same in every run. */
function chance(seed) {
  let number = seed;
  return (below) => {
    number = (Math.imul(number, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((number / 2 ** 32) * below);
  };
}

/** Words of seven letters, as many as asked for. */
function vocabulary(count) {
  const draw = chance(1);
  return Array.from({ length: count }, () => Array.from({ length: 7 }, () => String.fromCharCode(97 + draw(26))).join(""));
}

/** Forty topics of two near-duplicates each, with a field that says so. */
function labelled() {
  const words = vocabulary(40 * 60 + 40 * 40);
  const documents = Array.from({ length: 80 }, (_, number) => {
    const topic = Math.floor(number / 2);
    const own = words.slice(topic * 60, topic * 60 + 60);
    const more = number % 2 === 0 ? [] : words.slice(2400 + topic * 40, 2400 + topic * 40 + (topic % 30));
    return { id: number, text: [...own, ...more].join(" "), cluster: topic };
  });
  return documents.map((document) => `${JSON.stringify(document)}\n`).join("");
}

/** More than the service takes as one body, which is 32 MB. */
const LARGE = 40_000_000;

function writeLarge(path) {
  const words = vocabulary(5000);
  const draw = chance(2);
  const file = openSync(path, "w");
  let written = 0;
  for (let number = 0; written < LARGE; number += 1) {
    const text = Array.from({ length: 250 }, () => words[draw(words.length)]).join(" ");
    written += writeSync(file, `${JSON.stringify({ id: number, text })}\n`);
  }
  closeSync(file);
}

async function send(name, body) {
  const headers = { "content-type": "application/x-ndjson" };
  const sent = await fetch(`${service.url}/api/uploads?name=${name}`, { method: "POST", headers, body });
  assert.equal(sent.status, 200, await sent.text());
}

async function submit(job) {
  const sent = await fetch(`${service.url}/api/jobs`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(job),
  });
  assert.equal(sent.status, 202);
  return (await sent.json()).id;
}

test("a run takes an earlier upload, a clustering and a classifier", async () => {
  const { page, at, close } = await tab(browser, service.url);
  await at("/run");
  const testing = page.getByRole("group", { name: "Testing set" });
  const training = page.getByRole("group", { name: "Training set" });
  await testing.getByText(/Nothing here yet: no corpus was uploaded/).waitFor();
  await send("labelled.jsonl", labelled());
  await send("other.jsonl", '{"id":1,"text":"one"}\n');
  await page.reload();
  await testing.getByRole("checkbox", { name: /other\.jsonl/ }).waitFor();
  assert.equal(await testing.getByRole("group", { name: "Uploads" }).getByRole("checkbox", { checked: true }).count(), 0);
  const choose = async (set) => {
    await set.getByRole("checkbox", { name: /The documents of the index/ }).uncheck();
    await set.getByRole("checkbox", { name: /labelled\.jsonl/ }).check();
  };
  await choose(testing);
  await page.getByRole("combobox", { name: "Clustering", exact: true }).selectOption("fuzzy-c-means");
  await page.getByRole("combobox", { name: "Classifier", exact: true }).selectOption("logistic");
  await choose(training);
  await page.getByRole("combobox", { name: "What is true", exact: true }).selectOption("cluster_field");
  assert.equal(await page.getByRole("textbox", { name: "Field", exact: true }).inputValue(), "cluster");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await eventually("the run has ended", async () => (await jobs())[0]?.finished !== undefined, 180);
  const [job] = await jobs();
  assert.equal(job.state, "done", job.error);
  assert.deepEqual(job.spec.testing, { index: false, uploads: ["labelled.jsonl"] });
  assert.deepEqual([job.spec.clustering, job.spec.classifier, job.spec.truth], ["fuzzy-c-means", "logistic", { cluster_field: "cluster" }]);
  assert.equal(job.summary.report.documents, 80);
  assert.ok(job.summary.report.removed > 20, `${job.summary.report.removed} removed`);
  // What came out is shown by the page that followed it.
  await page.getByRole("table", { name: "What clusters saved and lost" }).getByText("fuzzy-c-means").waitFor();
  await page.getByRole("row", { name: /Tried: logistic/ }).waitFor();
  await close();
});

test("the pairs of a run are applied and undone, and its recipe is taken over and given back", async () => {
  const { page, at, close } = await tab(browser, service.url);
  const before = (await json("/api/stats")).scheme;
  const run = await submit({ kind: "dedup", testing: { index: true }, clustering: "k-means", set: { "decide.threshold": "0.5" } });
  await eventually("the run has ended", async () => (await state(run)) === "done", 90);
  const decided = async () => (await json("/api/decisions")).decisions.filter((one) => one.by === `job ${run}`).length;
  await at(`/run/${run}`);
  await page.getByRole("button", { name: "Apply the pairs", exact: true }).click();
  await page.getByText("Decisions made").waitFor();
  const made = await decided();
  assert.ok(made > 0, "some pairs are decided");
  await page.getByRole("link", { name: `Run ${run}`, exact: true }).click();
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await page.getByText("Decisions withdrawn").waitFor();
  assert.equal(await decided(), 0);
  await page.getByRole("link", { name: `Run ${run}`, exact: true }).click();
  await page.getByRole("button", { name: "Take over the recipe", exact: true }).click();
  await page.getByRole("button", { name: "Take over", exact: true }).click();
  const undo = page.getByRole("button", { name: "Undo: the former recipe", exact: true });
  await undo.waitFor({ timeout: 60_000 });
  assert.notEqual((await json("/api/stats")).scheme, before);
  await undo.click();
  await page.getByRole("button", { name: "Take over the recipe", exact: true }).waitFor({ timeout: 60_000 });
  assert.equal((await json("/api/stats")).scheme, before);
  await close();
});

test("a large corpus is streamed, told of while it goes, and chosen", async () => {
  const path = join(folder, "large.jsonl");
  writeLarge(path);
  const { page, at, close, context } = await tab(browser, service.url);
  await at("/run");
  const testing = page.getByRole("group", { name: "Testing set" });
  await testing.locator("summary").click();
  // Slow enough to be seen.
  const protocol = await context.newCDPSession(page);
  await protocol.send("Network.enable");
  await protocol.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 15_000_000 });
  await testing.locator('input[type="file"]').setInputFiles(path);
  await page.getByRole("progressbar", { name: /Sending large\.jsonl/ }).waitFor();
  const chosen = testing.getByRole("checkbox", { name: /large\.jsonl.*MB/, checked: true });
  await chosen.waitFor({ timeout: 120_000 });
  assert.equal(await page.getByRole("progressbar", { name: /Sending/ }).count(), 0);
  const kept = (await json("/api/uploads")).uploads.find((one) => one.name === "large.jsonl");
  assert.equal(kept.bytes, statSync(path).size);
  await close();
});

test("a run that waits and one that works are cancelled", async () => {
  const { page, at, close } = await tab(browser, service.url);
  // Every two of its documents have words in common, so comparing all takes minutes.
  const long = { kind: "dedup", testing: { uploads: ["large.jsonl"] }, method: "cosine", set: { "decide.threshold": "0.2" } };
  const [working, waiting] = [await submit(long), await submit(long)];
  const cancel = async (id) => {
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await eventually(`run ${id} is cancelled`, async () => (await state(id)) === "cancelled", 90);
    await page.getByText("Cancelled", { exact: true }).waitFor();
  };
  await at(`/run/${waiting}`);
  await page.getByText("Waits for the runs before it.").waitFor();
  await cancel(waiting);
  await at(`/run/${working}`);
  await cancel(working);
  // What has ended can be removed.
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Runs" }).waitFor();
  assert.deepEqual((await jobs()).filter((job) => job.id === working), []);
  await close();
});
