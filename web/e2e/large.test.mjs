// A cluster of many hundred documents: pages of members, pictures that say something, the overview.

import assert from "node:assert/strict";
import { test } from "node:test";

import { faults, modes, options } from "./accessible.mjs";
import { eventually, stage, tab } from "./support.mjs";

const SIZE = 420;
const word = (number) => `word${(number * 104_729) % 50_021}`;

/** Two kinds of one letter, each sent many times with another number, and copies of some. */
const documents = Array.from({ length: SIZE }, (_, place) => {
  const kind = place % 2;
  const number = place < 40 ? 0 : place;
  const words = Array.from({ length: 100 }, (_, at) => (kind === 1 && at % 25 === 0 ? word(9000 + at) : word(at)));
  return { id: `letter-${place}`, title: "A letter to all customers of the bank", text: `${words.join(" ")} number ${number}`, time: 1_600_000_000 + place * 86_400 };
});

const own = stage(documents);

test("all members are reached, and told apart by what differs", async () => {
  const { page, at, close } = await tab(own.browser, own.service.url);
  await at("/clusters/letter-1");
  const rows = page.getByRole("table", { name: "Members of the cluster" }).getByRole("row");
  await eventually("the first are drawn", async () => (await rows.count()) === 201);
  await page.getByRole("button", { name: "Show 200 more" }).click();
  await eventually("the next are drawn", async () => (await rows.count()) === 401);
  await page.getByRole("button", { name: "Show 20 more" }).click();
  await eventually("all are drawn", async () => (await rows.count()) === SIZE + 1);
  assert.equal(await page.getByRole("button", { name: /^Show .* more$/ }).count(), 0);
  const texts = await rows.allInnerTexts();
  const ids = texts.slice(1).map((text) => /letter-\d+/.exec(text)?.[0]);
  assert.equal(new Set(ids).size, SIZE, "each is there once, by its id");
  // They have the same title; what is in them instead of the master's words is not the same.
  const apart = await page.locator("td.apart").allInnerTexts();
  assert.ok(new Set(apart).size > SIZE - 50, `${new Set(apart).size}`);
  await close();
});

test("pictures show the groups of a large cluster", async () => {
  const shape = await (await fetch(`${own.service.url}/api/clusters/letter-1/shape?limit=2&by=linked`)).json();
  assert.equal(shape.size, SIZE);
  assert.ok(shape.contents <= SIZE - 38, "copies are one");
  const { page, at, close } = await tab(own.browser, own.service.url);
  await at("/clusters/letter-1");
  const graph = page.getByRole("group", { name: /Graph of 30 groups/ });
  await graph.waitFor();
  assert.equal(await graph.getByRole("link").count(), 30);
  await page.getByText(/drawn distances are off by/).waitFor();
  const cells = page.getByRole("group", { name: /Similarities of 160 groups/ });
  await cells.waitFor();
  // A cell of several pairs, reached from the one beside the corner.
  const whole = await (await fetch(`${own.service.url}/api/clusters/letter-1/shape`)).json();
  const [column, row, , pairs] = whole.pairs.find(([a, b, , measured]) => a > 0 && b > a && measured > 1);
  for (let step = 0; step < row; step += 1) await cells.press("ArrowDown");
  for (let step = 1; step < column; step += 1) await cells.press("ArrowRight");
  await page.locator(".heat-map-read-out", { hasText: `mean of ${pairs} pairs` }).waitFor();
  await graph.getByRole("link").nth(1).click();
  await page.getByRole("group", { name: "Decide" }).waitFor();
  await close();
});

test("the overview says something after one load", async () => {
  const { page, at, close } = await tab(own.browser, own.service.url);
  // Dates are read in the background, which a busy machine is slow at.
  await eventually("dates are read", async () => {
    await at("/");
    await page.reload();
    const told = page.getByText(/by the dates that 420 documents state/);
    return told.waitFor({ timeout: 3000 }).then(() => true, () => false);
  }, 300);
  await page.getByRole("heading", { name: "Documents over time" }).waitFor();
  await close();
});

for (const mode of modes) {
  test(`large clusters and the review are accessible and fit (${mode.colorScheme}, ${mode.width}px)`, async () => {
    const one = await tab(own.browser, own.service.url, options(mode));
    const found = [];
    for (const view of ["/", "/clusters", "/clusters/letter-1", "/review", "/review?order=size", "/review/team", "/decisions", "/documents/letter-1"]) {
      found.push(...(await faults(one, view)));
    }
    assert.deepEqual(found, []);
    await one.close();
  });
}
