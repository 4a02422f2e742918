import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { guidePages, isGuide } from "./guide-pages.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-guide-"));
  await mkdir(join(folder, "assets"));
  await mkdir(join(folder, "deploy"));
  const files: Record<string, string> = {
    "index.html": "start",
    "api.html": "the api",
    "404.html": "no such page",
    "deploy/index.html": "deploy",
    "assets/app.abc.js": "script",
  };
  for (const [name, text] of Object.entries(files))
    await Bun.write(join(folder, `${name}.br`), brotliCompressSync(text));
  await Bun.write(join(folder, ".facts.json"), JSON.stringify({ sources: "x", scripts: ["'sha256-abc='"] }));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function get(path: string, headers: Record<string, string> = {}, method = "GET") {
  const request = { method, path, get: (name: string) => headers[name] ?? null };
  const { status, headers: lines, body } = await guidePages(folder, { "x-more": "1" }).answer(request as never);
  const found = Object.fromEntries(
    String(lines)
      .trim()
      .split("\r\n")
      .map((line) => line.split(": ", 2)),
  ) as Record<string, string>;
  const bytes = body === null ? new Uint8Array() : typeof body === "string" ? Buffer.from(body) : (body as Uint8Array);
  const text =
    found["content-encoding"] === "br" ? brotliDecompressSync(bytes).toString() : Buffer.from(bytes).toString();
  return { status, headers: found, text };
}

describe("the documents' pages", () => {
  test.each([
    ["/docs/guide/", "start"],
    ["/docs/guide/api", "the api"],
    ["/docs/guide/api.html", "the api"],
    ["/docs/guide/deploy/", "deploy"],
    ["/docs/guide/deploy", "deploy"],
    ["/docs/guide/assets/app.abc.js", "script"],
  ])("are at %s", async (path, text) => {
    expect(await get(path)).toMatchObject({ status: 200, text });
    expect(await get(path, { "accept-encoding": "gzip, br" })).toMatchObject({ status: 200, text });
  });

  test("are sent compressed to whoever can read it, and not to others", async () => {
    const { headers } = await get("/docs/guide/api", { "accept-encoding": "br" });
    expect(headers).toMatchObject({ "content-encoding": "br", vary: "accept-encoding" });
    expect((await get("/docs/guide/api", { "accept-encoding": "gzip, br;q=0" })).headers).not.toHaveProperty(
      "content-encoding",
    );
  });

  test("are asked for again each time, and their hashed files never", async () => {
    const first = await get("/docs/guide/api");
    expect(first.headers["cache-control"]).toBe("no-cache");
    expect(await get("/docs/guide/api", { "if-none-match": first.headers.etag ?? "" })).toMatchObject({
      status: 304,
      text: "",
    });
    expect((await get("/docs/guide/assets/app.abc.js")).headers["cache-control"]).toContain("immutable");
  });

  test("may run their own scripts alone, in no frame", async () => {
    const { headers } = await get("/docs/guide/api");
    const policy = headers["content-security-policy"] ?? "";
    expect(policy).toContain("script-src 'self' 'sha256-abc=';");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers).toMatchObject({ "x-content-type-options": "nosniff", "x-more": "1" });
  });

  test.each([
    "/docs/guide/nothing",
    "/docs/guide/../../package.json",
    "/docs/guide/.facts.json",
    "/docs/guide/assets/none.js",
  ])("are all that is there: %s is not", async (path) => {
    const answer = await get(path);
    expect(answer).toMatchObject({ status: 404, text: "no such page" });
    expect(answer.headers["cache-control"]).toBe("no-cache");
  });

  test("are only read", async () => {
    expect(await get("/docs/guide/", {}, "POST")).toMatchObject({ status: 405, headers: { allow: "GET, HEAD" } });
  });

  test("have one address", async () => {
    expect(await get("/docs/guide")).toMatchObject({ status: 308, headers: { location: "/docs/guide/" } });
    expect(isGuide("/docs")).toBe(false);
    expect(isGuide("/docs/guided")).toBe(false);
  });

  test("that were not built say how they are", async () => {
    const request = { method: "GET", path: "/docs/guide/", get: () => null };
    const answer = await guidePages(join(folder, "nowhere")).answer(request);
    expect(answer).toMatchObject({ status: 503, body: expect.stringContaining("npm run build:site") });
    const asked = await guidePages(join(folder, "nowhere")).answer({ ...request, path: "/docs/guide/console" });
    expect(asked).toMatchObject({ status: 503, body: expect.stringContaining("docs/console.md") });
  });
});
