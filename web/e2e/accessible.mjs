// What is wrong with a view for people who read by ear, by keyboard, or on a small screen.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { eventually } from "./support.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Light and dark, on a telephone and on a desk. */
export const modes = ["light", "dark"].flatMap((colorScheme) => [375, 1280].map((width) => ({ colorScheme, width })));

/** A tab's options for a mode. The tool itself is injected, which the page's own policy rightly forbids. */
export const options = ({ colorScheme, width }) => ({ colorScheme, bypassCSP: true, viewport: { width, height: 760 } });

/** Every finding of axe, whatever its impact, and by how much the view is wider than the screen. */
export async function faults({ page, at }, view) {
  await at(view);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await eventually(`${view} is drawn`, async () => (await page.locator("main .skeleton").count()) === 0);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  const found = violations.map(({ id, impact, nodes }) => `${view}: ${id} (${impact}): ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  return overflow > 0 ? [...found, `${view} is ${overflow}px too wide`] : found;
}
