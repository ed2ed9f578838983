// Small, safe, accessible, and right where it is hard.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";

import { faults, modes, options } from "./accessible.mjs";
import { eventually, launch, serve, tab } from "./support.mjs";

let service, browser;
before(async () => {
  [service, browser] = await Promise.all([serve(), launch()]);
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

const views = [
  "/",
  "/clusters",
  "/clusters/press-release",
  "/clusters/many-0",
  "/pairs/long-title/long-title-copy",
  "/pairs/many-0/many-1?tab=passages",
  "/pairs/many-0/many-1?tab=measures",
  "/pairs/arabic/arabic-copy?tab=details",
  "/review",
  "/review/team",
  "/decisions",
  "/keep",
  "/mirrors",
  "/run",
  "/label",
  "/check",
  "/search?q=bridge",
  "/lexicons",
  "/lexicons/english",
  "/methods",
  "/documents/press-release",
];

for (const mode of modes) {
  test(`every view is accessible and fits (${mode.colorScheme}, ${mode.width}px)`, async () => {
    const one = await tab(browser, service.url, options(mode));
    const found = [];
    for (const view of views) found.push(...(await faults(one, view)));
    assert.deepEqual(found, []);
    await one.close();
  });
}

test("text is never markup", async () => {
  const { page, at, close } = await tab(browser, service.url);
  for (const view of ["/clusters", "/clusters/hostile-1", "/pairs/hostile-1/hostile-2", "/documents/hostile-1", "/search?q=script", "/"]) {
    await at(view);
    await page.getByRole("heading", { level: 1 }).waitFor();
    assert.ok(!(await page.title()).startsWith("taken"), view);
    assert.equal(await page.locator("main script, main img").count(), 0, view);
  }
  await at("/documents/hostile-1");
  await page.getByText('<script>document.title = "taken"</script>').first().waitFor();
  await close();
});

test("the policy forbids everything but our own files", async () => {
  const reply = await fetch(`${service.url}/`);
  const policy = reply.headers.get("content-security-policy");
  for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"]) assert.ok(policy.includes(part), policy);
  assert.equal((await fetch(`${service.url}/assets/../Cargo.toml`)).status, 404);
  assert.equal((await fetch(`${service.url}/assets/nothing.js`)).status, 404);
  const tag = reply.headers.get("etag");
  assert.equal((await fetch(`${service.url}/`, { headers: { "if-none-match": tag } })).status, 304);
});

test("the first load is small", async () => {
  const { page, at, close } = await tab(browser, service.url);
  const sizes = new Map();
  page.on("response", async (response) => {
    const body = await response.body().catch(() => Buffer.alloc(0));
    sizes.set(response.url(), gzipSync(body).length);
  });
  await at("/");
  await page.getByRole("slider").waitFor();
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  assert.ok(total > 10_000 && total < 100_000, `${total} bytes: ${[...sizes.keys()].join(" ")}`);
  await close();
});

test("titles of any script and length stay in their place", async () => {
  const { page, at, close } = await tab(browser, service.url, { viewport: { width: 900, height: 700 } });
  for (const view of ["/clusters", "/clusters/long-title", "/clusters/arabic", "/pairs/long-title/long-title-copy", "/documents/日本語", "/"]) {
    await at(view);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(overflow <= 0, `${view} is ${overflow}px too wide`);
  }
  await close();
});

test("an empty index, a missing document and a wrong address say so", async () => {
  const empty = await serve({ documents: [] });
  const { page, at, close } = await tab(browser, empty.url);
  await at("/");
  await page.getByText(/Nothing here yet/).waitFor();
  await at("/clusters");
  await page.getByText(/Nothing here yet/).waitFor();
  await at("/documents/nobody");
  await page.getByText(/no such document/i).first().waitFor();
  await at("/no/such/view");
  await page.getByText(/nothing at this address/).waitFor();
  await close();
  await empty.stop();
});

test("a service that is gone is told, and found again", async () => {
  const other = await serve();
  const { page, at, context } = await tab(browser, other.url);
  await at("/clusters");
  await page.getByText("Minutes, version").first().waitFor();
  await context.setOffline(true);
  await page.getByRole("searchbox", { name: "Filter" }).fill("size:>2");
  const again = page.getByRole("button", { name: /again/i }).first();
  await again.waitFor();
  await context.setOffline(false);
  await again.click();
  await page.getByText("Minutes, version").first().waitFor();
  await context.close();
  await other.stop();
});

test("with tokens the page asks for one and shows what it may see", async () => {
  const guarded = await serve({
    documents: [
      { id: "open", text: "one two three four five six seven eight nine ten" },
      { id: "secret", text: "one two three four five six seven eight nine ten eleven", labels: ["board"] },
    ],
    token: [
      ["chief", "admin"],
      ["clerk", "read", ["post"]],
    ],
  });
  const { page, at, close } = await tab(browser, guarded.url);
  await at("/");
  const field = page.getByLabel("Token");
  await field.fill("wrong");
  await field.press("Enter");
  await page.getByText(/does not accept/).waitFor();
  await field.fill(guarded.tokens.clerk);
  await field.press("Enter");
  await page.getByText("clerk").waitFor();
  await eventually("one document is told", async () => /\b1\b/.test(await page.locator(".figures").innerText()));
  assert.equal(await page.getByRole("link", { name: "Runs" }).count(), 0);
  await at("/documents/secret");
  await page.getByText(/no such document/i).first().waitFor();
  await close();
  await guarded.stop();
});

test("on a narrow screen a reader's menu is usable and offers nothing forbidden", async () => {
  const guarded = await serve({
    token: [
      ["chief", "admin"],
      ["clerk", "read"],
    ],
  });
  const width = 390;
  const { page, at, close } = await tab(browser, guarded.url, { viewport: { width, height: 780 }, hasTouch: true });
  await at("/");
  await page.getByLabel("Token").fill(guarded.tokens.clerk);
  await page.getByLabel("Token").press("Enter");
  await page.locator(".me", { hasText: "clerk" }).waitFor();
  const menu = page.getByRole("navigation", { name: "Views" });
  const readable = ["Overview", "Clusters", "Decisions", "Keep and remove", "Search", "Check", "Due", "Mirrors", "Lexicons", "Methods"];
  await eventually("the menu is a reader's", async () => (await menu.getByRole("link").count()) === readable.length);
  assert.deepEqual(await menu.getByRole("link").allInnerTexts(), readable);
  for (const name of readable) {
    const link = menu.getByRole("link", { name, exact: true });
    await link.tap();
    await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
    assert.equal(await link.getAttribute("aria-current"), "page", name);
    await eventually(`${name} is drawn`, async () => (await page.locator("main .skeleton").count()) === 0);
    assert.equal(await page.locator("main .failed").count(), 0, name);
    const box = await link.boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= width, `${name} is at ${box.x}`);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(overflow <= 0, `${name} is ${overflow}px too wide`);
    const forbidden = page.locator('a[href="#/run"], a[href="#/label"]');
    await eventually(`${name} leads nowhere that is forbidden`, async () => (await forbidden.count()) === 0);
  }
  // What a reader may see has no buttons to change it.
  await at("/clusters/press-release");
  await page.getByRole("heading", { name: "Members" }).waitFor();
  await eventually("no button changes anything", async () => (await page.getByRole("button", { name: /Keep this one|Not a duplicate/ }).count()) === 0);
  await close();
  await guarded.stop();
});

test("dark and light can be chosen, and the choice is remembered", async () => {
  const { page, at, close } = await tab(browser, service.url, { colorScheme: "light" });
  await at("/");
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByRole("button", { name: "Dark" }).click();
  assert.notEqual(await ground(), light);
  await page.reload();
  await page.getByRole("slider").waitFor();
  assert.notEqual(await ground(), light);
  await close();
});
