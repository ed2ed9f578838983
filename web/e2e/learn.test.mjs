// Runs, labelling, lexicons, methods, one document.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { eventually, launch, serve, tab } from "./support.mjs";

let service, browser;
before(async () => {
  [service, browser] = await Promise.all([serve(), launch()]);
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

const json = async (path) => (await fetch(`${service.url}${path}`)).json();

test("a run is started, followed and its result shown", async () => {
  const { page, at, close } = await tab(browser, service.url);
  await at("/run");
  await page.getByRole("combobox", { name: /method/i }).first().selectOption("simhash");
  await page.getByRole("button", { name: /^(Start|Run)/ }).click();
  await eventually("the job is done", async () => (await json("/api/jobs")).jobs[0]?.state === "done", 90);
  const [job] = (await json("/api/jobs")).jobs;
  assert.equal(job.spec.method, "simhash");
  await at(`/run/${job.id}`);
  await page.getByText(/done/i).first().waitFor();
  await page.getByText("removed.jsonl").first().waitFor();
  await close();
});

test("pairs are asked for, labels are decisions", async () => {
  const { page, at, close } = await tab(browser, service.url);
  await at("/label");
  await page.getByRole("button", { name: "Find pairs" }).click();
  await page.getByRole("button", { name: /^Duplicates?/ }).first().waitFor({ timeout: 90_000 });
  // Differences look as where a pair is compared in full, and not like what both texts have.
  const look = (selector) => page.locator(selector).first().evaluate((one) => getComputedStyle(one).backgroundColor);
  await page.locator(".label-text :is(del, ins)").first().waitFor();
  assert.equal(await page.locator(".label-text mark").count(), 0);
  const colours = [await look(".label-text del"), await look(".label-text ins")];
  await page.getByRole("link", { name: "Compare in full" }).click();
  await page.getByRole("tab", { name: "Differences" }).click();
  await page.locator(".diff ins").first().waitFor();
  assert.deepEqual([await look(".diff del"), await look(".diff ins")], colours);
  await at("/label");
  await page.getByRole("button", { name: /^Duplicates?/ }).first().waitFor();
  await page.keyboard.press("d");
  await eventually("the label is a decision", async () => (await json("/api/decisions")).decisions.length === 1);
  await page.locator(".toast").first().waitFor();
  await page.keyboard.press("u");
  await eventually("it is taken back", async () => (await json("/api/decisions")).decisions.length === 0);
  await close();
});

test("what a classifier can be learnt by is the service's to say", async () => {
  const { page, at, close } = await tab(browser, service.url);
  const told = (await json("/api/methods")).learners.map((learner) => learner.name).filter((name) => name !== "best");
  assert.ok(told.includes("logistic"), `${told}`);
  const offered = async (name) => {
    const choice = page.getByRole("combobox", { name, exact: true });
    await choice.waitFor();
    return choice.locator("option").evaluateAll((all) => all.map((one) => one.value));
  };
  await at("/label");
  assert.deepEqual(await offered("Learner"), ["best", ...told]);
  await at("/run");
  assert.deepEqual(await offered("Classifier"), ["", "best", ...told]);
  await close();
});

test("a lexicon shows its words by rarity and the place of one", async () => {
  const { page, at, close } = await tab(browser, service.url);
  await at("/lexicons/english");
  await page.getByRole("heading", { level: 1 }).waitFor();
  const word = page.getByRole("textbox", { name: /word/i }).or(page.getByRole("searchbox", { name: /word/i })).first();
  await word.fill("harvest");
  await word.press("Enter");
  await eventually("its place is told", async () => /harvest/.test(await page.locator("main").innerText()));
  await close();
});

test("methods are explained", async () => {
  const { page, at, close } = await tab(browser, service.url);
  await at("/methods?name=simhash");
  await page.getByText("simhash").first().waitFor();
  await close();
});

test("a document shows its text, history and weights", async () => {
  const { page, at, close } = await tab(browser, service.url);
  await at("/documents/press-release");
  await page.getByText("Aldermoor Bridge Trust").first().waitFor();
  // Shingles have no weights, so there is nothing to draw.
  await page.getByText(/All weigh the same, 1/).waitFor();
  await page.getByRole("table", { name: "The first features" }).waitFor();
  await close();
});
