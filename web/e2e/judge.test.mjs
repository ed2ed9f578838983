// Pairs, decisions, keep rules, removals.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";

import { eventually, launch, picture, serve, tab } from "./support.mjs";

let service, browser;
before(async () => {
  [service, browser] = await Promise.all([serve(), launch()]);
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

const json = async (path) => (await fetch(`${service.url}${path}`)).json();
const members = async (id) => (await json(`/api/clusters/${id}`)).members.map((member) => member.id);
const decisions = async () => (await json("/api/decisions")).decisions;

test("a pair shows differences, passages and measures", async () => {
  const { page, at, close } = await tab(browser, service.url);
  const [member] = await members("many-0");
  await at(`/pairs/many-0/${member}`);
  const tabs = page.getByRole("tablist");
  await tabs.getByRole("tab", { name: "Differences", selected: true }).waitFor();
  await page.getByText(/\d+ changes?/).first().waitFor();
  await tabs.getByRole("tab", { name: "Shared passages" }).click();
  assert.match(page.url(), /tab=passages/);
  await page.getByRole("region", { name: "Passages" }).getByRole("button").nth(2).click();
  await page.locator('.passage[aria-current="true"]').waitFor();
  await tabs.getByRole("tab", { name: "Measures" }).click();
  await page.getByText(/jaccard/i).first().waitFor();
  await tabs.getByRole("tab", { name: "Fields" }).click();
  await page.getByText("type").first().waitFor();
  await at("/pairs/press-release/press-release-wire?tab=diff");
  await page.getByText(/\d+ changes?/).first().waitFor();
  await picture(page, "page-pair");
  await at("/pairs/press-release/press-release-wire?tab=passages");
  await page.getByRole("region", { name: "Passages" }).waitFor();
  await picture(page, "page-passages");
  await close();
});

test("keys decide, go on and undo", async () => {
  const { page, at, close } = await tab(browser, service.url);
  const [first, second] = await members("press-release");
  const master = (await json("/api/clusters/press-release")).master;
  await at(`/pairs/${master}/${first}?in=${master}`);
  await page.getByRole("group", { name: "Decide" }).waitFor();
  await page.keyboard.press("x");
  await eventually("it is decided", async () => (await decisions()).some((made) => made.duplicate === false));
  const shows = (id) => async () => decodeURIComponent(page.url()).split("?")[0].endsWith(`/${id}`);
  await eventually("the next pair is shown", shows(second));
  await page.locator(".toast").first().waitFor();
  await page.keyboard.press("u");
  await eventually("it is taken back", async () => (await decisions()).length === 0);
  await eventually("the pair is shown again", shows(first));
  await page.getByRole("button", { name: /Keep right/ }).click();
  await eventually("the right one stands for the cluster", async () => (await json(`/api/clusters/${first}`)).master === first);
  await at("/decisions");
  await page.getByRole("gridcell", { name: /duplicates?/i }).first().waitFor();
  await close();
});

test("a decision is used by checks and clusters", async () => {
  const [a, b] = ["hostile-1", "hostile-2"];
  assert.deepEqual(await members(a).then((all) => all.length), 1);
  const body = JSON.stringify({ a, b, duplicate: false });
  await fetch(`${service.url}/api/decisions`, { method: "POST", headers: { "content-type": "application/json" }, body });
  assert.deepEqual(await members(a), []);
});

test("keep rules are previewed, exported, applied and undone", async () => {
  const { page, at, close } = await tab(browser, service.url, { acceptDownloads: true });
  await at("/keep");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.getByText(/documents? (would )?go|would be removed|to remove/i).first().waitFor();
  await picture(page, "page-keep");
  const download = async (name) => {
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()]);
    return readFileSync(await file.path(), "utf8");
  };
  const lines = (await download(/JSON/)).trim().split("\n").map((line) => JSON.parse(line));
  assert.ok(lines.length > 40);
  assert.ok(lines.every((line) => line.keeper !== line.id && line.similarity > 0.5 && line.reason), JSON.stringify(lines[0]));
  assert.match(await download(/CSV/), /^id,keeper,cluster,similarity/);
  const html = await download(/HTML/);
  assert.match(html, /Content-Security-Policy/);
  assert.ok(!html.includes("<script>document"), "foreign text is harmless");
  const documents = async () => (await json("/api/stats")).documents;
  const before = await documents();
  await page.getByRole("button", { name: /^(Apply|Remove)/ }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: /^(Apply|Remove)/ }).click();
  await eventually("they are gone", async () => (await documents()) === before - lines.length);
  // On a busy machine a survey is used for a little longer than it is true.
  await eventually("no cluster is left", async () => (await json("/api/survey")).clusters === 0);
  await page.getByRole("button", { name: /Undo|Put back/ }).first().click();
  await eventually("they are back", async () => (await documents()) === before);
  await close();
});

test("a refused step takes those before it back, one without an answer does not", async () => {
  const { page, at, close } = await tab(browser, service.url);
  const master = (await json("/api/clusters/many-0")).master;
  const [other] = (await members(master)).filter((id) => id !== master);
  const of = (made) => [made.a, made.b].includes(other);
  assert.ok(!(await decisions()).some(of));
  let asked = 0;
  const answerKeepers = async (answer) => {
    await page.unroute("**/api/keepers");
    await page.route("**/api/keepers", (route) => {
      if (route.request().method() !== "POST") return route.continue();
      asked += 1;
      return answer(route);
    });
  };
  const keep = async () => {
    const before = asked;
    await at(`/pairs/${master}/${other}`);
    await page.getByRole("button", { name: /Keep right/ }).click();
    await eventually("the keeper was asked for", () => asked > before);
    await page.getByRole("alert").or(page.locator(".toast")).first().waitFor();
  };
  const refusal = { error: { code: "conflict", message: "not now" } };
  await answerKeepers((route) => route.fulfill({ status: 409, json: refusal }));
  await keep();
  await eventually("nothing is left", async () => !(await decisions()).some(of));
  // The service has it, but the page never hears of it.
  await answerKeepers(async (route) => {
    await route.fetch();
    await route.abort();
  });
  await keep();
  assert.ok((await decisions()).some(of));
  assert.equal((await json(`/api/clusters/${master}`)).master, other);
  await close();
});
