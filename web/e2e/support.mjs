// A real browser that looks at a real service.

import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before } from "node:test";

import { chromium } from "playwright-core";

import { root, serve } from "./service.mjs";

export * from "./service.mjs";

/** Debian's; without it one that playwright fetched. */
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const pictures = process.env.SCREENSHOTS ? join(root, "docs", "img") : undefined;

export function launch() {
  return chromium.launch({
    executablePath: existsSync(CHROMIUM) ? CHROMIUM : undefined,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

/** A service with these documents and a browser, there while the tests of a file run. */
export function stage(documents) {
  const both = {};
  before(async () => {
    [both.service, both.browser] = await Promise.all([serve({ documents }), launch()]);
  });
  after(async () => {
    await both.browser?.close();
    await both.service?.stop();
  });
  return both;
}

/** Sixty words that no other family has; `end` tells the copies of one apart. */
export const family = (name, end) => `${Array.from({ length: 60 }, (_, place) => `${name}${place}`).join(" ")} ${end}`;

/** A tab that fails the test when the page does anything it must not. */
export async function tab(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const faults = [];
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    // A refused request is told by the page itself.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) faults.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith("data:") && !request.url().startsWith("blob:")) faults.push(`foreign request: ${request.url()}`);
  });
  const at = async (route) => {
    await page.goto(`${url}/#${route}`);
    await page.waitForLoadState("networkidle");
  };
  const close = async () => {
    await context.close();
    if (faults.length > 0) throw new Error(faults.join("\n"));
  };
  return { page, at, close, context };
}

/** Keeps a picture for the documentation, when asked to. */
export async function picture(page, name) {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}
