import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildGateway } from "../../../scripts/build-gateway.ts";
import { builtFolder } from "../../../src/main/built-gateway.ts";
import { LARGE_BYTES } from "../../../src/pipeline/request/sizes.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";

describe("the gateway's built form", () => {
  let gateway: Gateway;
  let key: TestKey;

  beforeAll(async () => {
    await buildGateway();
    gateway = await startGateway({ program: join(import.meta.dir, "../../support/serve-built.ts") });
    key = await gateway.newKey();
  });

  afterAll(() => gateway[Symbol.asyncDispose]());

  const post = (path: string, body: object) =>
    fetch(gateway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key.key}`, "anthropic-version": "2023-06-01" },
      body: JSON.stringify(body),
    });

  test("is not built again from the same sources", async () => {
    expect(await buildGateway()).toBe(false);
  });

  test("answers and bills, also where the tokenizer's thread counts the tokens", async () => {
    const body = { model: "sim/no-usage", messages: [{ role: "user", content: "Hello!" }] };
    const response = await post("/v1/chat/completions", body);
    expect(response.status).toBe(200);
    const { usage } = (await response.json()) as { usage: { prompt_tokens: number } };
    expect(usage.prompt_tokens).toBeGreaterThan(0);
    expect(gateway.log()).not.toContain('"level":"error"');
  });

  test("reads a large body in a thread of its own", async () => {
    const content = `Hello! ${"x".repeat(LARGE_BYTES)}`;
    const response = await post("/v1/messages", {
      model: "sim/echo",
      max_tokens: 50,
      messages: [{ role: "user", content }],
    });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("Hello! xxx")]);
  });

  // These paths need modules that are loaded on first use, or files beside the code.
  test.each(["/docs", "/openapi.json", "/metrics", "/readyz"])("answers %s", async (path) => {
    const response = await fetch(gateway.url + path);
    expect({ path, status: response.status }).toEqual({ path, status: 200 });
    expect((await response.text()).length).toBeGreaterThan(10);
  });

  test("translates a stream", async () => {
    const response = await post("/v1/messages", {
      model: "sim/echo",
      max_tokens: 50,
      stream: true,
      messages: [{ role: "user", content: "Hello!" }],
    });
    expect(await response.text()).toContain("event: message_stop");
  });
});

describe("the name of the built form", () => {
  test("changes with every source and package, and not with tests", async () => {
    const root = await mkdtemp(join(tmpdir(), "camino-sources-"));
    try {
      const write = (path: string, text: string) => Bun.write(join(root, path), text);
      await write("package-lock.json", "{}");
      await write("src/core/ids.ts", "1");
      const names = [builtFolder(root)];
      const changed = async (path: string, text: string) => {
        await write(path, text);
        names.push(builtFolder(root));
      };
      await changed("src/core/ids.ts", "2");
      await changed("contract/keys.ts", "1");
      await changed("src/http/page.css", "1");
      await changed("package-lock.json", "{ }");
      expect(new Set(names).size).toBe(5);
      await changed("src/core/ids.test.ts", "1");
      expect(names.at(-1)).toBe(names.at(-2));
    } finally {
      await rm(root, { recursive: true });
    }
  });

  test("covers every module of the built form", async () => {
    const inputs = new Set<string>();
    for (const path of new Bun.Glob("*.map").scanSync(builtFolder())) {
      for (const source of (await Bun.file(join(builtFolder(), path)).json()).sources) inputs.add(source);
    }
    const own = [...inputs]
      .map((path) => path.replace(/^(\.\.\/)+/, ""))
      .filter((path) => !path.includes("node_modules/"));
    expect(own.filter((path) => !/^(src|contract|simulator)\/.*\.(ts|js|css|yaml)$/.test(path))).toEqual([]);
    expect(own.length).toBeGreaterThan(100);
  });
});
