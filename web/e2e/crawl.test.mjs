// A crawl over time: what changed in a document, and hosts that mirror each other.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { eventually, launch, serve, tab } from "./support.mjs";

/** Sixty words that no other page has. */
const words = (name) => Array.from({ length: 60 }, (_, place) => `${name}${place}`).join(" ");

const hosts = ["example.org", "www.example.org", "mirror.example.net"];
const pages = hosts.flatMap((host) => [1, 2, 3].map((page) => ({ id: `http://${host}/${page}`, text: words(`page${page}x`) })));
const versions = [words("ferry"), `${words("ferry")} and a fourth ship`, words("ferry")].map((text) => ({ id: "timetable", text }));

let service, browser;
before(async () => {
  [service, browser] = await Promise.all([serve({ documents: [...pages, ...versions] }), launch()]);
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

test("a document shows what changed from version to version", async () => {
  const { page, at, close } = await tab(browser, service.url);
  await at("/documents/timetable");
  const table = page.getByRole("table", { name: "Versions, the newest first" });
  await table.waitFor();
  const rows = (await table.getByRole("row").allInnerTexts()).slice(1);
  assert.equal(rows.length, 3);
  assert.match(rows[0], /cut\s*as it was/);
  assert.match(rows[1], /added/);
  assert.ok(!rows[1].includes("as it was"), rows[1]);
  const prints = await table.locator("code").allInnerTexts();
  assert.match(prints[0], /^[0-9a-f]{16}$/);
  assert.ok(prints[0] === prints[2] && prints[0] !== prints[1], `${prints}`);
  await close();
});

test("hosts that mirror each other are listed, with an example side by side", async () => {
  const { page, at, close } = await tab(browser, service.url);
  await at("/mirrors");
  const table = page.getByRole("table", { name: "Hosts that mirror each other" });
  await eventually("addresses are read", async () => (await table.getByRole("row").count()) === 4);
  const first = table.getByRole("row").nth(1);
  assert.match(await first.innerText(), /example\.org\s+mirror\.example\.net/);
  await page.getByText("3 hosts: example.org, mirror.example.net, www.example.org").waitFor();
  await first.getByRole("link", { name: "side by side" }).click();
  await page.getByText("identical texts").waitFor();
  await close();
});
