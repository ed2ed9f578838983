// Documents that share an id and differ in their labels; removals that take exactly what was shown.

import assert from "node:assert/strict";
import { test } from "node:test";

import { eventually, family, serve, stage, tab } from "./support.mjs";

const documents = [
  // One id, three documents that have nothing in common.
  { id: "memo", text: family("ferry", "open"), labels: [] },
  { id: "memo", text: family("harbour", "red"), labels: ["red"] },
  { id: "memo", text: family("island", "both"), labels: ["blue", "red"] },
  // One id, two documents that are alike, and a third.
  { id: "twin", title: "The red twin", text: family("lantern", "red first longest of all"), labels: ["red"] },
  { id: "twin", title: "The blue twin", text: family("lantern", "blue second"), labels: ["blue"] },
  { id: "other", title: "The other", text: family("lantern", "third"), labels: ["a, b"] },
];

const own = stage(documents);

const json = async (path) => (await fetch(`${own.service.url}${path}`)).json();
const status = async (path) => (await fetch(`${own.service.url}${path}`)).status;
const textOf = async (path) => (await json(`/api/documents/${path}`)).document?.text;
const decisions = async () => (await json("/api/decisions")).decisions;

const choice = (page, name) => page.getByRole("link", { name, exact: true });
const RED = "the one labelled red";
const BOTH = "the one labelled blue, red";
const OPEN = "the one without labels";

test("an id that several documents have gives the choice, and each leads to its own text", async () => {
  const { page, at, close } = await tab(own.browser, own.service.url);
  for (const [name, own, labels] of [
    [RED, "harbour", "red"],
    [BOTH, "island", "blue,red"],
    [OPEN, "ferry", "[]"],
  ]) {
    await at("/documents/memo");
    await page.getByRole("heading", { name: "Which one is meant?" }).waitFor();
    assert.equal(await page.locator("main li").getByRole("link").count(), 3);
    assert.equal(await page.getByRole("alert").count(), 0, "it is no error");
    await choice(page, name).click();
    const text = page.getByRole("region", { name: "Text", exact: true });
    await text.getByText(`${own}7 `).waitFor();
    assert.equal(new URLSearchParams(page.url().split("?")[1]).get("labels"), labels);
    // All that is asked of it is asked of this one.
    await page.getByText(/All weigh the same, 1/).waitFor();
    await page.getByRole("heading", { name: "1 version" }).waitFor();
    assert.equal(await page.locator("main .failed").count(), 0);
  }
  await at("/clusters/memo");
  await choice(page, RED).click();
  await page.getByText("This document resembles no other.").waitFor();
  await eventually("search is ready", async () => (await fetch(`${own.service.url}/api/search?q=harbour7`)).ok);
  await at("/search?cluster=memo&q=harbour7");
  await choice(page, RED).click();
  await page.getByText("The cluster is named by this document").waitFor();
  assert.match(await page.locator(".search-hit").innerText(), /harbour7/);
  await close();
});

test("of a pair both sides are chosen, and the decision is about these two", async () => {
  const { page, at, close } = await tab(own.browser, own.service.url);
  await at("/pairs/memo/memo?tab=details");
  await choice(page, BOTH).click();
  await eventually("the left one is chosen", async () => page.url().includes("a_labels=blue%2Cred"));
  await choice(page, OPEN).click();
  await page.getByRole("group", { name: "Decide" }).waitFor();
  const row = page.getByRole("row", { name: /^labels/ });
  assert.match(await row.innerText(), /blue.*red/);
  await page.keyboard.press("x");
  await eventually("it is decided", async () => (await decisions()).length === 1);
  const [made] = await decisions();
  assert.deepEqual([made.a_labels ?? [], made.b_labels ?? []].toSorted(), [[], ["blue", "red"]]);
  await page.getByText("not duplicates", { exact: true }).waitFor();
  // From the list the way leads to the same pair.
  await at("/decisions");
  await page.getByRole("link", { name: /memo \(blue, red\)/ }).first().click();
  await page.getByText("not duplicates", { exact: true }).waitFor();
  await at("/decisions");
  await page.getByRole("button", { name: /^Take back: memo/ }).click();
  await eventually("it is taken back", async () => (await decisions()).length === 0);
  await close();
});

test("links of a cluster lead to the documents that are shown, and who is kept is one of them", async () => {
  const { page, at, close } = await tab(own.browser, own.service.url);
  await at("/clusters");
  await page.getByRole("link", { name: "The red twin" }).click();
  const members = page.getByRole("table", { name: "Members of the cluster" });
  await eventually("all members are listed", async () => (await members.getByRole("row").count()) === 4);
  for (const name of ["red", "blue"]) {
    await members.getByRole("link", { name: `Open: The ${name} twin` }).click();
    await page.getByRole("heading", { level: 1, name: `The ${name} twin` }).waitFor();
    await page.goBack();
    await members.waitFor();
  }
  // Two of the same id side by side, one of labels with a comma before or after them.
  await members.getByRole("link", { name: "The blue twin", exact: true }).click();
  const right = page.getByRole("region", { name: "Right", exact: true }).getByRole("link");
  await right.and(page.getByText("The blue twin")).waitFor();
  await page.getByText(/^Cluster twin \(red\): [12] of 2$/).waitFor();
  const isFirst = await page.getByRole("button", { name: "Previous", exact: true }).isDisabled();
  await page.keyboard.press(isFirst ? "j" : "k");
  await right.and(page.getByText("The other")).waitFor();
  await page.keyboard.press(isFirst ? "k" : "j");
  await right.and(page.getByText("The blue twin")).waitFor();
  await page.getByRole("button", { name: /Keep right/ }).click();
  const keepers = async () => (await json("/api/keepers")).keepers;
  await eventually("the blue one is kept", async () => (await keepers()).length === 1);
  assert.deepEqual([(await keepers())[0].id, (await keepers())[0].labels], ["twin", ["blue"]]);
  assert.deepEqual((await json("/api/clusters/other")).labels, ["blue"]);
  await page.locator(".toast").first().waitFor();
  await page.keyboard.press("u");
  await eventually("it is as before", async () => (await keepers()).length === 0 && (await decisions()).length === 0);
  await close();
});

test("deleting and undoing concern the document that is shown", async () => {
  const { page, at, close } = await tab(own.browser, own.service.url);
  await at("/documents/twin?labels=blue");
  await page.getByRole("heading", { level: 1, name: "The blue twin" }).waitFor();
  const before = await textOf("twin?labels=blue");
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await eventually("it is gone", async () => (await status("/api/documents/twin?labels=blue")) === 404);
  assert.equal(await status("/api/documents/twin?labels=red"), 200);
  // What it belonged to is shown.
  await page.getByRole("heading", { level: 1, name: "The red twin" }).waitFor();
  await page.keyboard.press("u");
  await eventually("it is back", async () => (await textOf("twin?labels=blue")) === before);
  await page.getByRole("heading", { level: 1, name: "The blue twin" }).waitFor();
  assert.equal(await status("/api/documents/twin?labels="), 404, "and not under another name");
  await close();
});

test("an insert is undone without touching others of its id", async () => {
  const { page, at, close } = await tab(own.browser, own.service.url);
  await at("/check");
  await page.getByRole("textbox", { name: "Text" }).fill(family("beacon", "new"));
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await page.getByRole("textbox", { name: "Id" }).fill("twin");
  await page.getByRole("button", { name: "Insert", exact: true }).click();
  await eventually("it is there", async () => (await status("/api/documents/twin?labels=")) === 200);
  await page.getByRole("log", { name: "Messages" }).getByRole("button", { name: "Undo" }).click();
  await eventually("it is gone", async () => (await status("/api/documents/twin?labels=")) === 404);
  assert.deepEqual([await status("/api/documents/twin?labels=red"), await status("/api/documents/twin?labels=blue")], [200, 200]);
  await close();
});

/** Four copies of which one would stay, in a service of their own. */
async function withCopies(use) {
  const copies = ["k0", "k1", "k2", "k3"].map((id, place) => ({ id, text: family("anchor", `${"more ".repeat(4 - place)}${id}`), labels: ["red"] }));
  const other = await serve({ documents: copies });
  const { page, at, close } = await tab(own.browser, other.url);
  const read = async (path) => (await fetch(`${other.url}${path}`)).json();
  const send = async (path, body) => {
    const headers = { "content-type": "application/json" };
    const reply = await fetch(`${other.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    assert.ok(reply.ok, await reply.text());
  };
  const remove = async () => {
    await page.getByRole("button", { name: "Remove…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove 3 documents" }).click();
  };
  try {
    await at("/keep");
    await page.getByText("documents would go").waitFor();
    await use({ page, read, send, remove, messages: page.getByRole("log", { name: "Messages" }) });
    await close();
  } finally {
    await other.stop();
  }
}

test("a removal takes what was shown; what changed since stays, and what cannot come back is told", () =>
  withCopies(async ({ page, read, send, remove, messages }) => {
    const put = (id, text) => send("/api/documents", { id, text, labels: ["red"] });
    const text = async (id) => (await read(`/api/documents/${id}`)).document.text;
    await put("k3", family("anchor", "changed since"));
    await remove();
    await messages.getByText("Removed 2 documents; 1 document changed since and stayed").waitFor();
    const row = page.getByRole("table", { name: "Removals" }).getByRole("row").nth(1);
    await row.getByText("1 document stayed").waitFor();
    await row.getByRole("link", { name: "k3 (red)" }).waitFor();
    assert.match(await row.innerText(), /k3 \(red\): .*changed since/);
    assert.match(await text("k3"), /changed since$/);
    assert.equal((await read("/api/documents/k1")).error.code, "not-found");
    // Another comes under the name of one that went, and stays when that is put back.
    await put("k1", family("compass", "of its own"));
    await row.getByRole("button", { name: "Put back removal 1" }).click();
    await messages.getByText("Put back 1 document", { exact: true }).waitFor();
    await row.getByText("1 document not put back").waitFor();
    await row.getByRole("link", { name: "k1 (red)" }).waitFor();
    assert.match(await text("k1"), /of its own$/);
    assert.match(await text("k2"), /k2$/);
  }));

test("a preview that the service has forgotten is made anew, and nothing goes before", () =>
  withCopies(async ({ page, read, send, remove, messages }) => {
    const total = async () => (await read("/api/stats")).documents;
    // It remembers the last 64 only.
    for (let other = 0; other < 64; other += 1) await send("/api/removals/preview", {});
    await remove();
    await messages.getByText(/Nothing was removed: what was shown here is out of date/).waitFor();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    assert.equal(await total(), 4);
    await remove();
    await eventually("the new one is carried out", async () => (await total()) === 1);
    await messages.getByRole("button", { name: "Undo" }).click();
    await eventually("they are back", async () => (await total()) === 4);
    assert.equal((await read("/api/clusters/k1")).size, 4);
  }));
