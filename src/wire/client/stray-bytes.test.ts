import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { seededRandom } from "../../../proofs/support/seeded-random.ts";
import { answerOf, StrayVendor, strayRun } from "../../../proofs/support/stray-vendor.ts";
import { Deadlines } from "../deadlines.ts";
import { Call } from "./call.ts";
import { Pool } from "./pool.ts";
import { requestBytes } from "./request-bytes.ts";
import { readTarget, type UrlTarget } from "./target.ts";
import { canPeek } from "./unread.ts";

/** No byte that arrived before a request was written is ever part of the request's answer (docs/adr/0029). */

test("the gateway can look at what the system holds of a socket here", () => {
  expect(canPeek).toBe(true);
});

test("whatever a vendor sends beside its answers, each caller gets its own answer or an error", async () => {
  let got = 0;
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const random = seededRandom(seed);
      const vendor = new StrayVendor(random, null);
      expect(await strayRun(vendor, random, 12)).toEqual([]);
      got += vendor.got.length;
    }),
    { numRuns: 40 },
  );
  expect(got).toBeGreaterThan(200);
});

test("bytes that arrive in the moment before the next request is written are not its answer", async () => {
  const vendor = new StrayVendor(() => 0.99, null);
  await vendor.listen();
  await vendor.ask("one");
  for (const socket of vendor.sockets) socket.write(answerOf("STRAY"));
  // The stray bytes have not been read since.
  await vendor.ask("two");
  expect(vendor.got).toEqual(["one", "two"].map((own) => ({ own, answer: own })));
  expect(vendor.sockets).toHaveLength(2);
  vendor.close();
});

/** The runtime reads its trusted certificates when a process starts. */
const OVER_TLS = `
  const { readFileSync } = await import("node:fs");
  const { seededRandom } = await import(${JSON.stringify(join(import.meta.dir, "../../../proofs/support/seeded-random.ts"))});
  const { StrayVendor, strayRun } = await import(${JSON.stringify(join(import.meta.dir, "../../../proofs/support/stray-vendor.ts"))});
  const file = (name) => readFileSync(${JSON.stringify(join(import.meta.dir, "../../../proofs/fixtures/tls"))} + "/" + name);
  const identity = { key: file("good.key.pem"), cert: file("good.pem") };
  const foreign = [];
  let got = 0;
  let connections = 0;
  for (let seed = 1; seed <= 12; seed++) {
    const random = seededRandom(seed);
    const vendor = new StrayVendor(random, identity);
    foreign.push(...await strayRun(vendor, random, 12));
    got += vendor.got.length;
    connections += vendor.sockets.length;
  }
  console.log(JSON.stringify({ foreign, got, connections }));
  process.exit(0);
`;

test("the same holds over TLS, where connections are used again all the same", async () => {
  const child = Bun.spawn([process.execPath, "-e", OVER_TLS], {
    env: {
      PATH: process.env.PATH ?? "",
      NODE_EXTRA_CA_CERTS: join(import.meta.dir, "../../../proofs/fixtures/tls/ca.pem"),
    },
    stdout: "pipe",
    stderr: "inherit",
  });
  const { foreign, got, connections } = JSON.parse(await child.stdout.text());
  expect(foreign).toEqual([]);
  expect(got).toBeGreaterThan(80);
  expect(connections).toBeLessThan(got);
});

/** A vendor in a process of its own that speaks as soon as somebody connects, and then answers. */
const GREETER = `
  const server = require("node:net").createServer((socket) => {
    socket.on("error", () => {});
    socket.write(${JSON.stringify(answerOf("STRAY"))});
    socket.on("data", () => socket.write(${JSON.stringify(answerOf("ok"))}));
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

test("a vendor that speaks before it was asked is refused: nothing was sent to it", async () => {
  const child = Bun.spawn([process.execPath, "-e", GREETER], { stdout: "pipe" });
  const reader = child.stdout.getReader();
  const port = new TextDecoder().decode((await reader.read()).value).trim();
  const url = `http://127.0.0.1:${port}/`;
  const target = readTarget(url) as UrlTarget;
  const call = new Call(new Deadlines(), { connect_ms: 5000, first_byte_ms: 5000, idle_ms: 5000, total_ms: 9000 });
  const pool = new Pool({ now_ms: 0 }, () => {});
  pool.send(target, call, requestBytes(target, { url, headers: {}, body: "{}" }));
  // The system connects, and the greeting arrives, before the event loop goes on.
  Bun.sleepSync(300);
  await expect(call.reply).rejects.toMatchObject({ fault: "unreachable" });
  child.kill();
});
