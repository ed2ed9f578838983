// The service behind a real nginx, by TLS and below a path, set up as docs/serve.md says.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { binary, eventually, freePort, launch, root, samples, serve, tab } from "./support.mjs";

/** An id that a proxy could take for a path, or decode. */
const ADDRESS = "https://example.org/a//b?c=%2F&d=é";
const [text, other] = ["press-release", "product-lamp"].map((id) => samples().find((document) => document.id === id).text);

const skip = spawnSync("nginx", ["-v"]).error ? "nginx is not installed: the tests behind a proxy are left out" : false;
let service, browser, proxy;

before(async () => {
  if (skip) return;
  const token = [["chief", "admin"]];
  [service, browser] = await Promise.all([
    serve({ documents: [{ id: ADDRESS, title: "At an address", text }], token, settings: ["--with", "prefix=/lookalike"] }),
    launch(),
  ]);
  proxy = await nginx(service.url);
});
after(async () => {
  await browser?.close();
  await proxy?.stop();
  await service?.stop();
});

/** Starts nginx with the block of the documentation. */
async function nginx(service) {
  const folder = mkdtempSync(join(tmpdir(), "lookalike-nginx-"));
  const certificate = join(folder, "certificate.pem");
  const made = spawnSync("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=proxy"],
    ...["-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE", "-keyout", join(folder, "key.pem"), "-out", certificate],
  ]);
  assert.equal(made.status, 0, String(made.stderr));
  const port = await freePort();
  const documented = readFileSync(join(root, "docs", "serve.md"), "utf8").match(/```nginx\n(.*?)```/s)[1];
  const block = documented.replace("http://127.0.0.1:8080", service);
  assert.notEqual(block, documented);
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${folder}/${kind};`);
  writeFileSync(
    join(folder, "nginx.conf"),
    `${process.getuid() === 0 ? "user root;" : ""}
    daemon off; pid ${folder}/pid; error_log stderr crit; worker_processes 1;
    events {}
    http { access_log off; types { text/javascript js; text/html html; } ${places.join(" ")}
      server { listen 127.0.0.1:${port} ssl; ssl_certificate ${certificate}; ssl_certificate_key ${folder}/key.pem; ${block}
        location /client/ { alias ${join(root, "clients", "typescript", "dist")}/; } location = /own { return 200 "own page"; } } }`,
  );
  const child = spawn("nginx", ["-p", folder, "-c", join(folder, "nginx.conf")], { stdio: ["ignore", "inherit", "inherit"] });
  const at = { port, certificate, origin: `https://127.0.0.1:${port}`, url: `https://127.0.0.1:${port}/lookalike` };
  await eventually("nginx answers", async () => (await ask(at, "/lookalike/readyz")).status === 200);
  const stop = () =>
    new Promise((resolve) => {
      child.once("exit", () => {
        rmSync(folder, { recursive: true, force: true });
        resolve();
      });
      child.kill("SIGTERM");
    });
  return { ...at, stop };
}

/** One request as it is, with nothing followed. */
function ask({ port, certificate }, path, { headers = {}, method = "GET" } = {}, during) {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", servername: "", checkServerIdentity: () => undefined, port, path, method, headers, ca: readFileSync(certificate) }, (reply) => {
      let body = "";
      reply.setEncoding("utf8");
      reply.on("data", (part) => {
        body += part;
        during?.(sent, body);
      });
      reply.on("end", () => resolve({ status: reply.statusCode, headers: reply.headers, body }));
    });
    sent.on("error", reject);
    if (during) during(sent, "");
    else sent.end();
  });
}

test("the page works below a path", { skip }, async () => {
  const { page, at, close, context } = await tab(browser, proxy.url, { ignoreHTTPSErrors: true });
  // Without the slash a proxy or the service leads to where it is.
  await page.goto(proxy.url);
  assert.equal(new URL(page.url()).pathname, "/lookalike/");
  await page.getByLabel("Token", { exact: true }).fill(service.tokens.chief);
  await page.getByRole("button", { name: "Use this token" }).click();
  await page.getByRole("link", { name: "Clusters", exact: true }).waitFor();
  await at(`/documents/${encodeURIComponent(ADDRESS)}`);
  await page.getByRole("heading", { name: "At an address" }).waitFor();
  // Parts that are fetched later, a request with a body, and one by another way than fetch.
  await at("/check");
  await page.getByRole("textbox", { name: /text/i }).first().fill(`${text} And one more sentence.`);
  await page.getByRole("button", { name: /^Check/ }).click();
  await page.getByText(/near-duplicate/i).first().waitFor();
  await at("/run");
  const testing = page.getByRole("group", { name: "Testing set" });
  await testing.locator("summary").click();
  await testing.locator('input[type="file"]').setInputFiles({ name: "c.jsonl", mimeType: "application/x-ndjson", buffer: Buffer.from('{"text":"a"}\n') });
  await eventually("the upload has arrived", async () => (await (await fetch(`${service.url}/api/uploads`, service)).json()).uploads.length === 1);
  assert.deepEqual(await context.cookies(), []);
  const kept = await page.evaluate(() => Object.keys(sessionStorage));
  assert.ok(kept.length > 0 && kept.every((key) => key.startsWith("lookalike /lookalike/ ")), String(kept));
  await close();
});

test("ids that look like paths reach the service as they are", { skip }, async () => {
  const headers = service.headers;
  const id = encodeURIComponent(ADDRESS);
  const shown = await ask(proxy, `/lookalike/api/documents/${id}`, { headers });
  assert.deepEqual([shown.status, JSON.parse(shown.body).id], [200, ADDRESS]);
  const moved = await ask(proxy, "/lookalike", { headers });
  assert.equal(moved.status >= 300 && moved.status < 400 && new URL(moved.headers.location, proxy.origin).pathname, "/lookalike/");
  assert.equal((await ask(proxy, "/api/me", { headers })).status, 404, "nothing is beside the path");
});

test("verdicts come back through the proxy while the sender still writes", { skip }, async () => {
  const lines = [{ id: "one", text: other }, { id: "two", text: other }].map((document) => `${JSON.stringify(document)}\n`);
  let answered = 0;
  const headers = { ...service.headers, "content-type": "application/x-ndjson", "transfer-encoding": "chunked" };
  const reply = await ask(proxy, "/lookalike/api/documents/bulk", { headers, method: "POST" }, (sent, body) => {
    if (body.split("\n").length - 1 < answered) return;
    // Each line is sent when the one before has its verdict.
    answered += 1;
    if (answered <= lines.length) sent.write(lines[answered - 1]);
    else sent.end();
  });
  const verdicts = reply.body.trim().split("\n").map((line) => JSON.parse(line).verdict);
  assert.deepEqual(verdicts, ["new", "duplicate"]);
  assert.equal(answered, 3);
});

test("the client of TypeScript works in a page of the same host", { skip }, async () => {
  const { page, close } = await tab(browser, proxy.origin, { ignoreHTTPSErrors: true });
  await page.goto(`${proxy.origin}/own`);
  const told = await page.evaluate(
    async ([token, text]) => {
      const { Lookalike } = await import("/client/index.js");
      const client = new Lookalike("/lookalike", { token });
      const lines = [];
      for await (const { line, verdict } of client.addDocuments([{ id: 2n ** 63n, text: `In a browser. ${text}` }])) lines.push([line, verdict]);
      const { id } = await client.getDocument(2n ** 63n);
      const refused = await client.getDocument("a/b").catch(({ code, status }) => [code, status]);
      return { url: client.url, lines, id: String(id), refused };
    },
    [service.tokens.chief, text],
  );
  assert.deepEqual(told, { url: proxy.url, lines: [[1, "near-duplicate"]], id: "9223372036854775808", refused: ["not-found", 404] });
  await close();
});

test("the command asks through the proxy", { skip }, async () => {
  const env = { ...process.env, SSL_CERT_FILE: proxy.certificate, LOOKALIKE_TOKEN: service.tokens.chief };
  const asked = spawnSync(binary, ["check", "--json", "--server", `${proxy.url}/`], { env, input: text, encoding: "utf8" });
  assert.equal(asked.stderr, "");
  const { verdict, matches } = JSON.parse(asked.stdout);
  assert.deepEqual([verdict, matches[0].id], ["duplicate", ADDRESS]);
});

test("without a token nobody comes in through the proxy", { skip }, async () => {
  assert.equal((await ask(proxy, "/lookalike/api/me")).status, 401);
  const open = await serve({ documents: [], settings: ["--with", "prefix=/lookalike"] });
  const second = await nginx(open.url);
  try {
    const refused = await ask(second, "/lookalike/api/me", { headers: { host: "example.org" } });
    assert.deepEqual([refused.status, JSON.parse(refused.body).error.code], [403, "foreign-host"]);
  } finally {
    await second.stop();
    await open.stop();
  }
});
