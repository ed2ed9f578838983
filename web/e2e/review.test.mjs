// The review queue: many pairs by keyboard alone, notes, tags, batches, people.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { eventually, launch, picture, serve, tab } from "./support.mjs";

const FAMILIES = 70;
const words = (seed, count) =>
  Array.from({ length: count }, (_, place) => `word${(seed * 7919 + place * 104729) % 50_021}`).join(" ");

/** Of each family three that differ from the first, and a copy of one of them: three pairs. */
const documents = Array.from({ length: FAMILIES }, (_, family) =>
  ["", " one", " two", " two", " three"].map((end, place) => ({
    id: `f${family}-${place}`,
    title: `Family ${family}, version ${place}`,
    text: `${words(family, 60)}${end && `${end} more ${end}`}`,
  })),
).flat();

let service, browser;
before(async () => {
  const token = [
    ["chief", "admin"],
    ["rita", "reviewer"],
    ["otto", "reviewer"],
  ];
  [service, browser] = await Promise.all([serve({ documents, token }), launch()]);
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

const as = (name) => ({ authorization: `Bearer ${service.tokens[name]}` });
const json = async (path, name = "chief") => (await fetch(`${service.url}${path}`, { headers: as(name) })).json();
const post = async (path, body, name = "chief") => {
  const reply = await fetch(`${service.url}${path}`, {
    method: "POST",
    headers: { ...as(name), "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  assert.ok(reply.ok, await reply.clone().text());
  return reply;
};

async function signedIn(name, options) {
  const opened = await tab(browser, service.url, options);
  await opened.at("/");
  await opened.page.getByLabel("Token").fill(service.tokens[name]);
  await opened.page.getByLabel("Token").press("Enter");
  await opened.page.locator(".me", { hasText: name }).waitFor();
  return opened;
}

/** What the card shows, once it can be decided; null when nothing is left. */
const shown = (page) =>
  page.evaluate(() => {
    const card = document.querySelector('.review-card[data-ready="true"]');
    if (card) return [...card.querySelectorAll(".pair-side h2")].map((side) => side.textContent).join(" – ");
    return document.querySelector("main .empty") ? null : undefined;
  });

test("a reviewer decides of two hundred pairs by keyboard alone", async () => {
  const { page, at, close } = await signedIn("rita");
  await at("/review");
  const seen = [];
  const began = Date.now();
  let current;
  while (seen.length < 200) {
    await eventually("the next pair is shown", async () => {
      current = await shown(page);
      return current !== undefined && current !== seen.at(-1);
    });
    assert.notEqual(current, null, `all is decided after ${seen.length}`);
    seen.push(current);
    await page.keyboard.press(seen.length % 4 === 0 ? "x" : "d");
  }
  console.log(`200 pairs took ${Date.now() - began} ms`);
  assert.equal(new Set(seen).size, 200, "no pair is shown twice");
  const decided = async () => (await json("/api/decisions")).decisions;
  await eventually("all are decided", async () => (await decided()).length === 200);
  const made = await decided();
  assert.equal(made.filter((one) => !one.duplicate).length, 50);
  assert.ok(made.every((one) => one.by === "rita"));
  // The last one again, by keyboard too.
  await page.keyboard.press("u");
  await eventually("the last is taken back", async () => (await decided()).length === 199);
  await eventually("it is shown again", async () => (await shown(page)) === seen.at(-1));
  await close();
});

test("skipped pairs come again, notes and tags stay", async () => {
  const { page, at, close } = await signedIn("rita", { viewport: { width: 1280, height: 860 } });
  await at("/review");
  await eventually("a pair is shown", async () => Boolean(await shown(page)));
  const first = await shown(page);
  await page.keyboard.press("c");
  await page.keyboard.type("the dates differ");
  await page.keyboard.press("Enter");
  await page.locator(".review-note", { hasText: "the dates differ" }).waitFor();
  await page.keyboard.press("t");
  await page.keyboard.type("legal, ask");
  await page.keyboard.press("Enter");
  await page.locator(".review-head .tag", { hasText: "legal" }).waitFor();
  await picture(page, "page-review");
  await page.keyboard.press("s");
  await eventually("another pair is shown", async () => ![first, undefined].includes(await shown(page)));
  assert.match(await page.locator(".review-progress").innerText(), /1 skipped/);
  await page.keyboard.press("u");
  await eventually("the first is shown again", async () => (await shown(page)) === first);
  // All that is left is skipped, and offered again.
  for (let left = await shown(page); left !== null; ) {
    await page.keyboard.press("s");
    const before = left;
    await eventually("the next is shown", async () => (left = await shown(page)) !== undefined && left !== before);
  }
  await page.getByRole("button", { name: /that you skipped/ }).click();
  await eventually("the first is shown again", async () => (await shown(page)) === first);
  await page.locator(".review-note", { hasText: "rita: the dates differ" }).waitFor();
  await page.getByRole("combobox", { name: "Which pairs" }).selectOption({ label: "Tag: legal" });
  await eventually("one pair has the tag", async () => / 1 left/.test(await page.locator(".review-progress").innerText()));
  await close();
});

test("a filter narrows the queue and is saved", async () => {
  const { page, at, close } = await signedIn("otto");
  await at("/review?order=size");
  await page.getByRole("searchbox", { name: "Filter" }).fill("master:f1-");
  await eventually("the queue is narrow", async () => /, [0-9] left/.test(await page.locator(".review-progress").innerText().catch(() => "")));
  await page.getByRole("textbox", { name: "Name for this filter" }).fill("first family");
  await page.getByRole("button", { name: "Save filter" }).click();
  await eventually("it is saved", async () => (await json("/api/review/filters", "otto")).filters.length === 1);
  await at("/review");
  await page.getByRole("combobox", { name: "Saved filters" }).selectOption("first family");
  await eventually("it is used", async () => page.url().includes("master"));
  await page.getByRole("searchbox", { name: "Filter" }).fill("colour:red");
  await page.getByText(/Unknown key/).waitFor();
  await close();
});

test("a batch is given to two people, and what they agree on is told", async () => {
  const fresh = await serve({
    documents: documents.slice(0, 30),
    token: [
      ["chief", "admin"],
      ["rita", "reviewer"],
      ["otto", "reviewer"],
    ],
  });
  const before = service;
  service = fresh;
  try {
    const chief = await signedIn("chief");
    await chief.at("/review/team");
    await chief.page.getByLabel("Name").fill("week 1");
    await chief.page.getByLabel("For").fill("rita, otto");
    await chief.page.getByLabel("Pairs").fill("4");
    await chief.page.getByRole("button", { name: "Make batch" }).click();
    await chief.page.getByRole("link", { name: "week 1" }).waitFor();
    for (const [name, keys] of [["rita", "dddx"], ["otto", "ddxx"]]) {
      const { page, at, close } = await signedIn(name);
      await at("/review?batch=1");
      let last;
      for (const key of keys) {
        await eventually("the next pair is shown", async () => {
          const now = await shown(page);
          return Boolean(now) && now !== last && Boolean((last = now));
        });
        await page.keyboard.press(key);
      }
      await page.getByText(/every pair here is decided/).waitFor();
      await close();
    }
    await chief.at("/review");
    await chief.at("/review/team");
    const table = chief.page.getByRole("region", { name: "Agreement of people" });
    await table.getByText("3 (75").waitFor();
    await table.getByText("0.50").waitFor();
    await chief.page.getByText("otto: 4, rita: 4").waitFor();
    // A third person settles what the two see differently.
    const disputed = chief.page.getByRole("link", { name: "1 disputed pair" });
    await disputed.click();
    await eventually("the disputed pair is shown", async () => Boolean(await shown(chief.page)));
    await chief.page.keyboard.press("x");
    await chief.page.getByText(/every pair here is decided/).waitFor();
    await chief.at("/review/team");
    await chief.page.getByText("otto: 4, rita: 4").waitFor();
    await eventually("it is settled", async () => (await disputed.count()) === 0);
    await chief.close();
  } finally {
    service = before;
    await fresh.stop();
  }
});

test("many members of a cluster are decided at once, and that is taken back", async () => {
  const { page, at, close } = await signedIn("otto");
  const cluster = await json("/api/clusters/f69-1");
  const decided = async () => (await json("/api/decisions")).decisions.filter((one) => one.by === "otto").length;
  // Not for a moment either, while the view is made anew.
  await page.evaluate(() => {
    globalThis.offered = 0;
    const look = () => (globalThis.offered += document.querySelectorAll('[aria-label^="Keep this one"]').length);
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  });
  await at(`/clusters/${cluster.master}`);
  await page.getByRole("button", { name: "Select all" }).click();
  await page.getByRole("button", { name: /Not duplicates of the master/ }).click();
  await eventually("they are decided", async () => (await decided()) >= 2);
  await page.keyboard.press("u");
  await eventually("it is taken back", async () => (await decided()) === 0);
  await page.getByRole("link", { name: /^Open: / }).nth(2).waitFor();
  assert.equal(await page.evaluate(() => globalThis.offered), 0, "a reviewer keeps nothing");
  await close();
});

test("on a narrow screen a pair is readable and can be decided", async () => {
  const width = 375;
  const { page, at, close } = await signedIn("otto", { viewport: { width, height: 720 }, hasTouch: true });
  for (const view of ["/review?filter=master:f2", "/review/team", `/clusters/${(await json("/api/clusters/f68-1")).master}`]) {
    await at(view);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(overflow <= 0, `${view} is ${overflow}px too wide`);
  }
  await close();
});
