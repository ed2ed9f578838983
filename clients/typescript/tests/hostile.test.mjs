// Servers that are not what they should be.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

import { Lookalike, LookalikeError } from "lookalike-client";

/** Asks a server that answers in its own way. */
async function against(answer, ask) {
  const server = createServer(answer);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await ask(`http://127.0.0.1:${server.address().port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const code = (expected) => (error) => {
  assert.ok(error instanceof LookalikeError, error.stack);
  assert.equal(error.code, expected, error.message);
  return true;
};
const all = async (lines) => {
  for await (const line of lines) void line;
};

test("who says nothing is waited for no longer than told", async () => {
  const began = Date.now();
  await against(
    () => {},
    (url) => assert.rejects(new Lookalike(url, { timeout: 100 }).me(), code("timeout")),
  );
  await against(
    (_, reply) => void reply.write('{"name":'),
    (url) => assert.rejects(new Lookalike(url).me({ timeout: 100 }), code("timeout")),
  );
  await against(
    (_, reply) => void reply.write('{"line":1}\n'),
    (url) => assert.rejects(all(new Lookalike(url, { timeout: 100 }).addDocuments([{ id: 1 }, { id: 2 }])), code("timeout")),
  );
  assert.ok(Date.now() - began < 5000);
});

test("a call ends with the caller's signal, for the caller's reason", async () => {
  const reason = new Error("enough");
  await against(
    () => {},
    async (url) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 50);
      await assert.rejects(new Lookalike(url).me({ signal: controller.signal }), (error) => error === reason);
      await assert.rejects(new Lookalike(url).me({ signal: controller.signal }), (error) => error === reason);
    },
  );
});

test("a redirection is not followed", async () => {
  let asked = 0;
  await against(
    (request, reply) => {
      asked += 1;
      reply.writeHead(301, { location: `http://${request.headers.host}/elsewhere` }).end();
    },
    (url) => assert.rejects(new Lookalike(url, { token: "secret" }).addDocument({ id: 1 }), code("redirected")),
  );
  assert.equal(asked, 1);
});

test("answers of others are told from those of a service", async () => {
  for (const [status, body, expected] of [
    [502, "<html>Bad Gateway</html>", "not-lookalike"],
    [200, "<html>Hello</html>", "not-lookalike"],
    [503, '{"error":"busy"}', "not-lookalike"],
    [500, '{"error":{"code":"internal","message":"it failed"}}', "internal"],
  ]) {
    await against(
      (_, reply) => reply.writeHead(status).end(body),
      (url) => assert.rejects(new Lookalike(url).stats(), code(expected)),
    );
  }
});

test("an answer that breaks off is an error, not the end", async () => {
  const documents = [{ id: 1 }, { id: 2 }, { id: 3 }];
  await against(
    (_, reply) => reply.end('{"line":1}\n{"line":2}'),
    (url) => assert.rejects(all(new Lookalike(url).addDocuments(documents)), code("cut-off")),
  );
  await against(
    (_, reply) => {
      reply.write('{"line":1}\n');
      setTimeout(() => reply.destroy(), 20);
    },
    (url) => assert.rejects(all(new Lookalike(url).addDocuments(documents)), code("unreachable")),
  );
  await against(
    (_, reply) => reply.end('{"line":1}\n{"line":null,"error":{"code":"shutting-down","message":"it stops"}}\n'),
    (url) => assert.rejects(all(new Lookalike(url).addDocuments(documents)), code("shutting-down")),
  );
});

test("lines are put together however they arrive", async () => {
  const lines = '{"line":1,"id":"é😀"}\n{"line":2,"id":12345678901234567890}\n';
  await against(
    async (_, reply) => {
      for (const byte of Buffer.from(lines)) {
        reply.write(Buffer.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
      reply.end();
    },
    async (url) => {
      const ids = [];
      for await (const { id } of new Lookalike(url).addDocuments([{ id: 1 }, { id: 2 }])) ids.push(id);
      assert.deepEqual(ids, ["é😀", 12345678901234567890n]);
    },
  );
});

test("nobody there, and addresses that are none", async () => {
  const gone = await against(() => {}, async (url) => url);
  await assert.rejects(new Lookalike(gone).me(), code("unreachable"));
  for (const wrong of ["host:80", "ftp://host", "http://user:password@host", "http://host/?x", "http://host/#x", ""]) {
    assert.throws(() => new Lookalike(wrong), TypeError, wrong);
  }
  assert.equal(new Lookalike("https://host/look/alike/").url, "https://host/look/alike");
});
