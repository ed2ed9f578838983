// How fast the page is over a large index; used by bench/page. Arguments: the data folder of a filled service.
// Prints one JSON object.

import { readFileSync, readdirSync } from "node:fs";

import { launch, serve } from "./support.mjs";

const [data] = process.argv.slice(2);
const milliseconds = (from) => performance.now() - from;

/** Memory of the processes that show pages, in bytes: what is shared is counted in parts. */
function rendererMemory() {
  let total = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--type=renderer")) continue;
      const pss = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"));
      total += Number(pss?.[1] ?? 0) * 1024;
    } catch {
      // It ended meanwhile.
    }
  }
  return total;
}

// The reader's browser runs already, and has done what it does when it starts; the service does not.
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
await new Promise((resolve) => setTimeout(resolve, 3000));
const began = performance.now();
const service = await serve({ documents: [], data });
const ready = milliseconds(began);
await page.goto(`${service.url}/#/`);
await page.getByRole("slider", { name: "Threshold" }).waitFor();
const dashboard = milliseconds(began);

// A drag over the whole range, a step with every frame; every change of what is told counts.
const line = page.getByRole("slider", { name: "Threshold" });
const box = await line.boundingBox();
const plot = await page.locator(".threshold").boundingBox();
const updates = await page.evaluate(
  async ([x, y, left, width]) => {
    const line = document.querySelector("[role=slider]");
    const event = (type, clientX) =>
      new PointerEvent(type, { bubbles: true, pointerId: 1, clientX, clientY: y, isPrimary: true, button: 0, buttons: 1 });
    line.setPointerCapture = () => {};
    line.hasPointerCapture = () => true;
    line.dispatchEvent(event("pointerdown", x));
    let changes = 0;
    let told = "";
    const start = performance.now();
    while (performance.now() - start < 3000) {
      const share = 0.5 + 0.5 * Math.sin((performance.now() - start) / 300);
      line.dispatchEvent(event("pointermove", left + share * width));
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = line.getAttribute("aria-valuetext");
      if (now !== told) changes += 1;
      told = now;
    }
    line.dispatchEvent(event("pointerup", x));
    return changes / 3;
  },
  [box.x, box.y + 5, plot.x, plot.width],
);

let from = performance.now();
await page.evaluate(() => (location.hash = "#/clusters"));
await page.locator(".cluster-row a").first().waitFor();
const list = milliseconds(from);

// Far down, as who drags the bar does.
const slowest = await page.evaluate(async () => {
  const scroller = [...document.querySelectorAll("*")].find((one) => one.scrollHeight > 100_000);
  let slowest = 0;
  let last = performance.now();
  for (let step = 1; step <= 60; step += 1) {
    scroller.scrollTop = (scroller.scrollHeight * step) / 61;
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const now = performance.now();
    slowest = Math.max(slowest, now - last);
    last = now;
  }
  return slowest;
});

const { clusters } = await (await fetch(`${service.url}/api/survey/clusters?limit=1`)).json();
const cluster = await (await fetch(`${service.url}/api/clusters/${encodeURIComponent(clusters[0].cluster)}`)).json();
from = performance.now();
await page.evaluate((route) => (location.hash = route), `#/clusters/${encodeURIComponent(cluster.master)}`);
await page.getByRole("heading", { name: "How close they are" }).waitFor();
const one = milliseconds(from);
from = performance.now();
const pair = [cluster.master, cluster.members[0].id].map(encodeURIComponent).join("/");
await page.evaluate((route) => (location.hash = route), `#/pairs/${pair}`);
await page.locator(".pair-diff, .shared-passages").first().waitFor();
const side = milliseconds(from);
const memory = rendererMemory();
await browser.close();
await service.stop();
console.log(
  JSON.stringify({
    ready_ms: ready,
    dashboard_ms: dashboard,
    updates_per_second: updates,
    list_ms: list,
    slowest_frame_ms: slowest,
    cluster_ms: one,
    pair_ms: side,
    browser_bytes: memory,
  }),
);
