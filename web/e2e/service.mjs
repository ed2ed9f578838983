// A real service with real documents.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const binary = process.env.LOOKALIKE ?? join(root, "target", "debug", "lookalike");

/** The sample documents that come with the program, and some that are hard to show. */
export function samples() {
  const lines = readFileSync(join(root, "crates", "cli", "samples", "documents.jsonl"), "utf8").trim().split("\n");
  return [...lines.map((line) => JSON.parse(line)), ...hard];
}

const words = (seed, count) =>
  Array.from({ length: count }, (_, place) => `word${(seed * 7919 + place * 104729) % 5003}`).join(" ");

export const hostile = `<script>document.title = "taken"</script><img src=x onerror="document.title='taken'">`;

const hard = [
  { id: "hostile-1", title: hostile, text: `${hostile} ${words(1, 60)}`, type: "html", source: hostile },
  { id: "hostile-2", title: hostile, text: `${hostile} ${words(1, 60)} more`, type: "html" },
  { id: "long-title", title: "A very long title ".repeat(40).trim(), text: words(2, 80), type: "pdf" },
  { id: "long-title-copy", title: "A very long title ".repeat(40).trim(), text: `${words(2, 80)} end`, type: "pdf" },
  { id: "日本語", title: "東京の天気予報と交通情報", text: "東京では今日は晴れで気温は二十度まで上がる見込みです。".repeat(6) },
  { id: "日本語二", title: "東京の天気予報と交通情報です", text: "東京では今日は晴れで気温は二十度まで上がる見込みです。".repeat(6) + "以上" },
  { id: "arabic", title: "نشرة الأخبار المسائية", text: "أعلنت هيئة الجسور أن الجسر القديم سيفتح للمشاة وراكبي الدراجات في يونيو بعد عامين من الإصلاحات ".repeat(5) },
  { id: "arabic-copy", title: "نشرة الأخبار", text: "أعلنت هيئة الجسور أن الجسر القديم سيفتح للمشاة وراكبي الدراجات في يونيو بعد عامين من الإصلاحات ".repeat(5) + "اليوم" },
  // A cluster too large for a graph.
  ...Array.from({ length: 48 }, (_, copy) => ({
    id: `many-${copy}`,
    title: `Minutes, version ${copy}`,
    text: `${words(3, 120)} version ${copy}`,
    type: copy % 3 ? "docx" : "pdf",
    source: copy % 2 ? "share" : "mail",
    time: 1_700_000_000 + copy * 86_400,
  })),
];

export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** Starts the service over a new folder, or the one given, and puts documents into it. */
export async function serve({ documents = samples(), data, token, settings: own = [] } = {}) {
  const folder = data ?? mkdtempSync(join(tmpdir(), "lookalike-e2e-"));
  const tokens = {};
  for (const [name, role, labels = []] of token ?? []) {
    const given = ["serve", "token", "add", name, "--role", role, "--data", folder];
    const made = spawnSync(binary, [...given, ...labels.flatMap((label) => ["--label", label])], { encoding: "utf8" });
    if (made.status !== 0) throw new Error(made.stderr);
    tokens[name] = made.stdout.trim().split("\n").at(-1).trim();
  }
  const address = `127.0.0.1:${await freePort()}`;
  const settings = ["--set", "features.shingle=3", "--threshold", "0.6", "--with", "log_level=warn", ...own];
  const recipe = data ? ["--with", "log_level=warn"] : settings;
  const child = spawn(binary, ["serve", "--data", folder, "--listen", address, ...recipe], { stdio: ["ignore", "inherit", "inherit"] });
  const url = `http://${address}`;
  const admin = tokens[Object.keys(tokens)[0]];
  const headers = admin ? { authorization: `Bearer ${admin}` } : {};
  await eventually("the service is ready", async () => (await fetch(`${url}/readyz`)).ok);
  if (documents.length > 0) {
    const body = documents.map((document) => JSON.stringify(document)).join("\n");
    const sent = await fetch(`${url}/api/documents/bulk`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/x-ndjson" },
      body,
    });
    const refused = (await sent.text()).split("\n").filter((line) => line.includes('"error"'));
    if (refused.length > 0) throw new Error(refused.join("\n"));
  }
  const stop = () =>
    new Promise((resolve) => {
      child.once("exit", () => {
        if (!data) rmSync(folder, { recursive: true, force: true });
        resolve();
      });
      child.kill("SIGTERM");
    });
  return { url, folder, tokens, headers, stop };
}

export async function eventually(what, holds, seconds = 30) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    try {
      if (await holds()) return;
    } catch {
      // Not yet.
    }
    if (Date.now() > end) throw new Error(`it never came true that ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
