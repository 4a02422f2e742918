import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { BodyRoom } from "../wire/server/body-room.ts";
import { type RequestHandler, WireServer } from "../wire/server/wire-server.ts";
import { type ConsolePages, consolePages } from "./console-pages.ts";

/** The console's files over HTTP, from a small folder with the layout of the build's. */

const INDEX = "<!doctype html><title>Camino</title>";
const SCRIPT = "console.log('the console')";

let folder = "";
let server: PageServer;

interface PageServer {
  readonly url: string;
  stop(): void;
}

function listen(pages: ConsolePages): PageServer {
  const handler: RequestHandler = {
    most_body_bytes: 0,
    bodies: new BodyRoom("all", 0),
    handle: async (request) => request.answer(await pages.answer(request.head)),
    failed: () => {},
    refuse: () => ({ status: 400, headers: "", body: "" }),
  };
  const listening = new WireServer(
    handler,
    { head_ms: 5000, stall_ms: 5000, total_ms: 5000, idle_ms: 5000, unread_ms: 5000, beat_ms: 60_000 },
    { hostname: "127.0.0.1", port: 0 },
  );
  return { url: `http://127.0.0.1:${listening.port}`, stop: () => listening.cut() };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-pages-"));
  const dist = join(folder, "dist");
  await mkdir(join(dist, "assets"), { recursive: true });
  await writeFile(join(dist, "index.html"), INDEX);
  await writeFile(join(dist, "assets/index-abc.js"), SCRIPT);
  await writeFile(join(dist, "assets/index-abc.js.gz"), gzipSync(SCRIPT));
  await writeFile(join(dist, "assets/index-abc.js.br"), "brotli bytes");
  await writeFile(join(dist, ".sources"), "a hash");
  await writeFile(join(folder, "secret.js"), "not to be served");
  server = listen(consolePages(dist));
});

afterAll(async () => {
  server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Sends a request without the headers, decompression and redirects that `fetch` adds. */
const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(new URL(path, server.url), {
    method,
    headers: { "accept-encoding": "identity", ...headers },
    redirect: "manual",
    decompress: false,
  });

describe("the page", () => {
  test.each([
    "/console/",
    "/console/index.html",
    "/console/keys",
    "/console/keys/key_123",
    "/console/admin/accounts/acct_1",
  ])("is at %s, asked for anew each time", async (path) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-cache");
    expect(await response.text()).toBe(INDEX);
  });

  test("is also served at a model's address, whose name may contain dots", async () => {
    expect((await get("/console/models/acme/swift-4.1", { accept: "text/html,*/*" })).status).toBe(200);
    expect((await get("/console/models/acme/swift-4.1", { accept: "*/*" })).status).toBe(404);
  });

  test("is also served without the slash at the end of the address", async () => {
    const response = await get("/console");
    expect(response.status).toBe(308);
    expect(response.headers.get("location")).toBe("/console/");
  });

  test("is not sent again to a client that has it", async () => {
    const etag = (await get("/console/")).headers.get("etag") ?? "";
    const again = await get("/console/keys", { "if-none-match": etag });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe("");
    expect((await get("/console/", { "if-none-match": '"other"' })).status).toBe(200);
  });

  test("answers HEAD with the same headers and no body", async () => {
    const response = await get("/console/", {}, "HEAD");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-length")).toBe(String(INDEX.length));
    expect(await response.text()).toBe("");
  });

  test("allows only its own files, and no frame around it", async () => {
    const { headers } = await get("/console/");
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(policy).not.toContain("http");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
  });
});

describe("a file", () => {
  test("with a hash in its name may be cached for ever", async () => {
    const response = await get("/console/assets/index-abc.js");
    expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(await response.text()).toBe(SCRIPT);
  });

  test.each([
    ["br, gzip", "br"],
    ["gzip, deflate, br;q=0", "gzip"],
    ["GZIP;q=0.5", "gzip"],
    ["deflate", null],
    ["identity", null],
  ])("is compressed as the browser can take it (%s → %s)", async (accepted, encoding) => {
    const response = await get("/console/assets/index-abc.js", { "accept-encoding": accepted });
    expect(response.headers.get("content-encoding")).toBe(encoding);
    expect(response.headers.get("vary")).toBe("accept-encoding");
    const bytes = await response.bytes();
    if (encoding === "gzip") expect(gunzipSync(bytes).toString()).toBe(SCRIPT);
    if (encoding === null) expect(Buffer.from(bytes).toString()).toBe(SCRIPT);
  });

  test.each([
    "/console/assets/gone-123.js",
    "/console/assets/gone",
    "/console/logo.png",
    "/console/assets/index-abc.js.gz",
    "/console/..%2fsecret.js",
    "/console/%2e%2e/secret.js",
    "/console/assets/..%2f..%2f..%2fsecret.js",
  ])("that is not one of the console's is 404 (%s)", async (path) => {
    const response = await get(path);
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain("not to be served");
  });

  test("accepts no methods but GET and HEAD", async () => {
    const response = await get("/console/assets/index-abc.js", {}, "POST");
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, HEAD");
  });
});

test("a console that is not built says which command builds it", async () => {
  const empty = listen(consolePages(join(folder, "nowhere")));
  const response = await fetch(new URL("/console/", empty.url));
  expect(response.status).toBe(503);
  expect(await response.text()).toContain("npm run build:console");
  empty.stop();
});
