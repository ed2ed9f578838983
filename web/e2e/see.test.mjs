// Dashboard, clusters, one cluster.

import assert from "node:assert/strict";
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

const survey = async () => (await fetch(`${service.url}/api/survey`)).json();

test("the dashboard tells what there is and what another threshold would find", async () => {
  const { page, at, close } = await tab(browser, service.url);
  await at("/");
  const told = await survey();
  assert.ok(told.clusters > 5, JSON.stringify(told));
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await page.getByText(told.documents.toLocaleString("en"), { exact: true }).first().waitFor();
  const line = page.getByRole("slider", { name: "Threshold" });
  const now = async () => Number(await line.getAttribute("aria-valuenow"));
  assert.equal(await now(), told.threshold);
  const effect = page.getByRole("table", { name: "What this threshold would find" });
  const found = async (name) => {
    const cell = effect.getByRole("row", { name }).getByRole("cell").first();
    return Number((await cell.innerText()).replaceAll(/\D/g, ""));
  };
  assert.equal(await found("Clusters"), told.clusters);
  await line.press("End");
  assert.equal(await now(), 1);
  const last = told.levels.at(-1);
  assert.deepEqual([await found("Pairs"), await found("Removals")], [last.pairs, last.removed]);
  // With the mouse, too.
  const box = await line.boundingBox();
  const plot = await page.locator(".threshold").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(plot.x + plot.width * 0.85, box.y + box.height / 2, { steps: 10 });
  await page.mouse.up();
  const dragged = await now();
  assert.ok(dragged > 0.85 && dragged < 1, `${dragged}`);
  const level = told.levels.find((level) => level.threshold >= dragged - 1e-9);
  assert.equal(await found("Pairs"), level.pairs);
  await picture(page, "page-overview");
  await close();
});

test("clusters are listed, sorted and filtered, and the address says so", async () => {
  const { page, at, close } = await tab(browser, service.url);
  await at("/clusters");
  const rows = page.getByRole("row");
  await page.getByText("Minutes, version").first().waitFor();
  assert.match(await rows.nth(1).innerText(), /48/);
  await page.getByRole("searchbox", { name: "Filter" }).fill("size:<10 type:pdf");
  await page.getByText("1 cluster", { exact: true }).waitFor();
  assert.match(page.url(), /filter=size/);
  await page.getByText("A very long title").first().waitFor();
  await page.goBack();
  await page.goForward();
  await page.getByText("1 cluster", { exact: true }).waitFor();
  await page.getByRole("searchbox", { name: "Filter" }).fill("colour:red");
  await page.getByText(/Unknown key .colour/i).waitFor();
  await page.getByRole("searchbox", { name: "Filter" }).fill("bridge");
  await eventually("words are searched", async () => /clusters?$/.test(await page.locator("[aria-live=polite]").first().innerText()));
  await page.getByRole("searchbox", { name: "Filter" }).fill("nothingatall");
  await page.getByText("No cluster matches this filter.").waitFor();
  await page.getByRole("searchbox", { name: "Filter" }).fill("");
  await page.getByRole("combobox", { name: "Order" }).selectOption("weakest");
  await page.getByText("Minutes, version").first().waitFor();
  assert.match(page.url(), /sort=weakest/);
  await close();
});

test("a cluster shows its members, a graph or a heat-map, and what lies outside", async () => {
  const { page, at, close } = await tab(browser, service.url);
  await at("/clusters/press-release");
  await page.getByRole("heading", { name: "How close they are" }).waitFor();
  assert.ok((await page.locator("main svg a").count()) >= 2, "nodes of the graph are links");
  await page.getByRole("heading", { name: "Just outside" }).waitFor();
  await picture(page, "page-cluster");
  const boxes = page.getByRole("checkbox");
  await boxes.nth(1).check();
  await boxes.nth(2).check();
  await page.getByRole("link", { name: "Compare the two" }).click();
  await page.getByRole("group", { name: "Decide" }).waitFor();
  await at("/clusters/many-0");
  const members = page.getByRole("table", { name: "Members of the cluster" }).getByRole("row");
  await eventually("all rows are drawn", async () => (await members.count()) === 49);
  const canvas = page.locator("main canvas");
  await canvas.waitFor();
  const seen = (x, y) => canvas.evaluate((one, [x, y]) => one.getContext("2d").getImageData(x, y, 1, 1).data[3], [x, y]);
  // Each is most like itself, all are alike, and a line parts the cells, which are 13 pixels wide.
  await eventually("the heat-map is drawn", async () => (await seen(2, 2)) === 255);
  const others = await seen(2 + 13, 2);
  assert.ok(others > 25 && others < 255, `${others}`);
  assert.deepEqual([await seen(12, 2), await seen(2, 12)], [0, 0]);
  const cells = page.getByRole("group", { name: /Similarities of 48 texts/ });
  const read = async () => (await page.locator(".heat-map-read-out .name").allInnerTexts()).map((name) => name.split(":")[0]);
  assert.deepEqual(await read(), ["1", "2"]);
  await cells.press("ArrowDown");
  await cells.press("ArrowRight");
  await eventually("keys move", async () => (await read()).join() === "2,3");
  await cells.press("Enter");
  await page.getByRole("group", { name: "Decide" }).waitFor();
  await close();
});

test("a person's choice of master holds, and can be taken back", async () => {
  const { page, at, close } = await tab(browser, service.url);
  await at("/clusters/long-title");
  const master = async () => {
    const id = (name) => fetch(`${service.url}/api/clusters/${name}`).then((reply) => reply.json());
    return (await id("long-title")).master;
  };
  const first = await master();
  await page.getByRole("button", { name: /keep/i }).last().click();
  await eventually("the other stands for the cluster", async () => (await master()) !== first);
  // The service knew before the page did.
  await page.locator(".toast").first().waitFor();
  await page.keyboard.press("u");
  await eventually("it is as before", async () => (await master()) === first);
  await close();
});
