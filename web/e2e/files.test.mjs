// Files that are dropped or chosen, and what they share with known documents.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { docx, pdf } from "./made-files.mjs";
import { launch, samples, serve, tab } from "./support.mjs";

const { text } = samples().find((document) => document.id === "press-release");
const title = "The bridge is open again";

let service, browser;
before(async () => {
  const documents = [...samples(), { id: "titled", title, text: `${text} This sentence stands nowhere else.` }];
  [service, browser] = await Promise.all([serve({ documents }), launch()]);
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

/** Drops a file as the system does: first it is held over the place, then let go. */
async function drop(page, name, bytes) {
  const transfer = await page.evaluateHandle(
    ([name, base64]) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], name));
      return transfer;
    },
    [name, bytes.toString("base64")],
  );
  const zone = page.locator(".drop-zone");
  await zone.dispatchEvent("dragover", { dataTransfer: transfer });
  await page.locator(".drop-zone.over").waitFor();
  await zone.dispatchEvent("drop", { dataTransfer: transfer });
  await page.locator(".drop-zone:not(.over)").waitFor();
}

/** The words of the first passage on one side, and how they are drawn. */
async function firstPassage(page, region) {
  const pieces = page.getByRole("region", { name: region, exact: true }).locator('mark[data-marks~="1"]');
  await pieces.first().waitFor();
  const drawn = await pieces.evaluateAll((all) =>
    all.map((piece) => ({
      words: [...piece.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data).join(""),
      back: getComputedStyle(piece).backgroundColor,
      line: getComputedStyle(piece).textDecorationStyle,
    })),
  );
  const words = drawn.map((piece) => piece.words).join("").replaceAll(/\s+/g, " ").trim();
  return { words, back: drawn[0].back, line: drawn[0].line };
}

const ASKED = "The text that was asked about";
const KNOWN = "The known text";

for (const [name, bytes, isDropped] of [
  ["bridge.pdf", pdf(text), true],
  ["bridge.docx", docx(text), false],
]) {
  test(`${name} is ${isDropped ? "dropped" : "chosen"}, and passages are marked in both texts`, async () => {
    const { page, at, close } = await tab(browser, service.url);
    await at("/check");
    if (isDropped) await drop(page, name, bytes);
    else await page.locator('input[type="file"]').setInputFiles({ name, mimeType: "application/octet-stream", buffer: bytes });
    await page.getByText(name, { exact: true }).waitFor();
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await page.getByRole("region", { name: "Known documents that are alike" }).waitFor();
    const [asked, known] = [await firstPassage(page, ASKED), await firstPassage(page, KNOWN)];
    assert.ok(asked.words.startsWith("The Aldermoor Bridge Trust announced today"), asked.words);
    assert.ok(asked.words.length > 800, asked.words);
    assert.deepEqual(asked, known, "the same words in the same colour");
    assert.notEqual(asked.back, "rgba(0, 0, 0, 0)");
    // A document with a title is called by it, with its id below.
    const row = page.getByRole("row", { name: title });
    await row.getByText("titled", { exact: true }).waitFor();
    await row.getByRole("button", { name: /passage/ }).click();
    await page.getByRole("heading", { level: 3, name: title }).waitFor();
    const other = await firstPassage(page, KNOWN);
    assert.ok(other.words.startsWith("The Aldermoor Bridge Trust announced today"), other.words);
    await close();
  });
}

test("pasted text stands beside the known one, and passages are walked through by key", async () => {
  const { page, at, close } = await tab(browser, service.url);
  await at("/check");
  const [start, end] = [text.slice(0, 400), text.slice(420)];
  await page.getByRole("textbox", { name: "Text" }).fill(`${start} and here something else was put in by hand ${end}`);
  await page.getByRole("button", { name: "Check", exact: true }).click();
  const asked = page.getByRole("region", { name: ASKED, exact: true });
  await asked.locator("mark").first().waitFor();
  const passages = await page.getByRole("region", { name: "Passages", exact: true }).getByRole("listitem").count();
  assert.ok(passages >= 2, `${passages} passages`);
  await page.getByRole("heading", { level: 1 }).focus();
  await page.keyboard.press("n");
  await page.keyboard.press("n");
  for (const region of [ASKED, KNOWN]) {
    await page.getByRole("region", { name: region, exact: true }).locator('mark.shown[data-marks~="2"]').first().waitFor();
  }
  await close();
});

test("a file without a text says so", async () => {
  const { page, at, close } = await tab(browser, service.url);
  await at("/check");
  await drop(page, "broken.pdf", Buffer.from("%PDF-1.4\nnothing of the kind"));
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await page.getByText(/Nothing can be compared/).waitFor();
  assert.equal(await page.getByRole("region", { name: ASKED }).count(), 0);
  await close();
});
