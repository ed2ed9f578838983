// Check and search.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { eventually, launch, root, samples, serve, tab } from "./support.mjs";

let service, browser;
before(async () => {
  [service, browser] = await Promise.all([serve(), launch()]);
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

test("pasted text is checked, with passages", async () => {
  const { page, at, close } = await tab(browser, service.url);
  await at("/check");
  const known = samples().find((document) => document.id === "press-release");
  await page.getByRole("textbox", { name: /text/i }).first().fill(`${known.text} And one more sentence.`);
  await page.getByRole("button", { name: /^Check/ }).click();
  await page.getByText(/near-duplicate/i).first().waitFor();
  await page.getByRole("link", { name: /press-release|Aldermoor/ }).first().waitFor();
  await page.getByRole("textbox", { name: /text/i }).first().fill("Nothing like this was ever written here before, I promise you that.");
  await page.getByRole("button", { name: /^Check/ }).click();
  await page.getByText(/new|nothing like/i).first().waitFor();
  await close();
});

test("a file is read and checked", async () => {
  const { page, at, close } = await tab(browser, service.url);
  for (const name of ["pdf/minutes.pdf", "docx/minutes.docx"]) {
    await at("/");
    await at("/check");
    await page.locator('input[type="file"]').setInputFiles(join(root, "fuzz", "seeds", name));
    const check = page.getByRole("button", { name: /^Check/ });
    if (await check.isEnabled().catch(() => false)) await check.click();
    await eventually(`${name} has a verdict`, async () => /new|nothing like|duplicate/i.test(await page.locator("main").innerText()));
  }
  await close();
});

test("search collapses duplicates and shows them beside the hit", async () => {
  const { page, at, close } = await tab(browser, service.url);
  await eventually("search is ready", async () => (await fetch(`${service.url}/api/search?q=bridge`)).ok);
  await at("/search?q=bridge");
  const told = await (await fetch(`${service.url}/api/search?q=bridge`)).json();
  const place = told.hits.findIndex((hit) => hit.near_duplicates.length > 0);
  assert.ok(place >= 0);
  await page.locator("mark").first().waitFor();
  await page.locator(".search-hit").nth(place).getByRole("link").first().focus();
  const beside = page.getByRole("region", { name: "Near-duplicates of the chosen hit" });
  for (const { id, title } of told.hits[place].near_duplicates) {
    assert.ok(title.length > 10, `${id} has the title ${title}`);
    const item = beside.getByRole("listitem").filter({ has: page.getByText(String(id), { exact: true }) });
    await item.getByRole("link", { name: title, exact: true }).waitFor();
  }
  await page.getByRole("searchbox").or(page.getByRole("textbox")).first().fill("wordthatisnowhere");
  await page.keyboard.press("Enter");
  await page.getByText(/nothing|no document|no hit/i).first().waitFor();
  await close();
});

test("search shows the facets that the service has", async () => {
  const other = await serve({ settings: ["--with", "facets=town"], documents: [
    { id: "a", text: "The ferry to the island is late today because of fog on the water.", town: "Bergen" },
    { id: "b", text: "Nobody knows when the old ferry will be replaced by a bridge, says the mayor.", town: "Oslo" },
  ] });
  try {
    await eventually("search is ready", async () => (await (await fetch(`${other.url}/api/search?q=ferry`)).json()).total === 2);
    const { page, at, close } = await tab(browser, other.url);
    await at("/search?q=ferry");
    await page.getByRole("group", { name: "town" }).getByText("Bergen").click();
    await eventually("one is left", async () => (await page.locator(".search-hit").count()) === 1);
    await close();
  } finally {
    await other.stop();
  }
});
