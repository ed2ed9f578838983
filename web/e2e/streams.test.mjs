// Documents whose texts are alike and whose links are not.

import assert from "node:assert/strict";
import { test } from "node:test";

import { family, stage, tab } from "./support.mjs";

const links = (site) => ["about", "prices", "contact", "news"].map((page) => `https://${site}.example/${page}`);

const documents = [
  { id: "ours", text: family("ferry", "longest of the two"), links: links("ours") },
  { id: "theirs", text: family("ferry", "taken over"), links: links("theirs") },
  { id: "page", text: family("harbour", "longest of the two"), links: links("harbour") },
  { id: "page-again", text: family("harbour", "once more"), links: links("harbour") },
];

const own = stage(documents);

test("a text that is alike below other links is marked wherever it is shown", async () => {
  const { page, at, close } = await tab(own.browser, own.service.url);
  const mark = page.locator(".tag.warn").getByText("other links", { exact: true });
  for (const [route, shown] of [
    ["/clusters/ours", 1],
    ["/pairs/ours/theirs", 1],
    ["/clusters/page", 0],
    ["/pairs/page/page-again", 0],
  ]) {
    await at(route);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.getByText(/added|cut|replaced/).first().waitFor();
    assert.equal(await mark.count(), shown, route);
  }
  await close();
});

test("clusters with such documents are found by a filter", async () => {
  const { page, at, close } = await tab(own.browser, own.service.url);
  await at("/clusters");
  await page.getByText("2 clusters", { exact: true }).waitFor();
  await at("/clusters?filter=contradicts:links");
  await page.getByText("1 cluster", { exact: true }).waitFor();
  const shown = await page.getByRole("row").nth(1).innerText();
  assert.ok(/ferry/.test(shown) && !/harbour/.test(shown), shown);
  await close();
});
