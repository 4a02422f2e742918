import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCamino } from "../../support/camino.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";

/** Readiness and metrics on a port of their own, or behind a token, by the environment and by the file. */

const TOKEN = "a-token-for-the-scraper";
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const statuses = (url: string, paths: readonly string[], init: RequestInit = {}) =>
  Promise.all(paths.map(async (path) => (await fetch(url + path, init)).status));
const PATHS = ["/healthz", "/readyz", "/metrics"];

describe("by default", () => {
  test("are answered at the gateway's port, to everybody", async () => {
    await using gateway = await startGateway();
    expect(await statuses(gateway.url, PATHS)).toEqual([200, 200, 200]);
    expect(gateway.operations_url).toBeNull();
  });
});

describe("with a port of their own", () => {
  let gateway: Gateway;
  let apart: string;

  beforeAll(async () => {
    gateway = await startGateway({ env: { CAMINO_OPERATIONS_PORT: "0" } });
    apart = gateway.operations_url ?? "";
  }, 60_000);
  afterAll(() => gateway[Symbol.asyncDispose]());

  test("are answered there, and of them only /healthz at the gateway's port", async () => {
    expect(apart).not.toBe(gateway.url);
    expect(await statuses(apart, PATHS)).toEqual([200, 200, 200]);
    expect(await (await fetch(`${apart}/metrics`)).text()).toContain("camino_requests_in_flight");
    expect(await statuses(gateway.url, PATHS)).toEqual([200, 404, 404]);
    expect(await statuses(gateway.url, ["/metrics/", "/readyz/"])).toEqual([404, 404]);
  });

  test("are alone there", async () => {
    const paths = ["/v1/models", "/console/", "/console/api/session", "/docs", "/openapi.json", "/", "/nothing"];
    expect(await statuses(apart, paths)).toEqual(paths.map(() => 404));
    expect(await statuses(apart, PATHS, { method: "POST", body: "{}" })).toEqual([405, 405, 405]);
    expect(await statuses(apart, PATHS, { method: "HEAD" })).toEqual([200, 200, 200]);
  });

  test("say that the gateway drains until it has stopped", async () => {
    const { key } = await gateway.newKey();
    const body = JSON.stringify({
      model: "sim/slow",
      stream: true,
      messages: [{ role: "user", content: "Hello, Camino, how are you today?" }],
    });
    const stream = await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", ...bearer(key), body });
    gateway.signal("SIGTERM");
    let ready: Response | null = null;
    while (ready?.status !== 503) ready = await fetch(`${apart}/readyz`);
    expect(await ready.json()).toEqual({ status: "draining" });
    expect(await stream.text()).toContain("[DONE]");
    expect(await gateway.exited).toBe(0);
  });
});

describe("with a token", () => {
  const SETTINGS = {
    "of the environment": { env: { CAMINO_OPERATIONS_TOKEN: TOKEN } },
    "of the file": { config: "operations: { token: '${SCRAPER}' }\n", env: { SCRAPER: TOKEN } },
  };
  for (const [where, options] of Object.entries(SETTINGS)) {
    test(`${where}, readiness and metrics want it, and the process's health does not`, async () => {
      await using gateway = await startGateway(options);
      expect(await statuses(gateway.url, PATHS)).toEqual([200, 401, 401]);
      expect(await statuses(gateway.url, PATHS, bearer("another"))).toEqual([200, 401, 401]);
      expect(await statuses(gateway.url, PATHS, bearer(TOKEN))).toEqual([200, 200, 200]);
      // Not that of the operations endpoints, and nothing but that.
      expect((await fetch(`${gateway.url}/console/api/accounts`, bearer(TOKEN))).status).toBe(401);
      for (let n = 0; n < 30; n++) await fetch(`${gateway.url}/metrics`, bearer(`guess ${n}`));
      expect((await fetch(`${gateway.url}/metrics`, bearer("guess"))).status).toBe(429);
      expect((await fetch(`${gateway.url}/metrics`, bearer(TOKEN))).status).toBe(200);
      while (!gateway.log().includes("wrong tokens at the operations endpoints")) await Bun.sleep(20);
      expect(gateway.log()).not.toContain(TOKEN);
    });
  }

  test("and a port, both hold", async () => {
    const config = JSON.stringify({ operations: { port: 0, token: TOKEN } });
    await using gateway = await startGateway({ config });
    const apart = gateway.operations_url ?? "";
    expect(await statuses(gateway.url, PATHS, bearer(TOKEN))).toEqual([200, 404, 404]);
    expect(await statuses(apart, PATHS)).toEqual([200, 401, 401]);
    expect(await statuses(apart, PATHS, bearer(TOKEN))).toEqual([200, 200, 200]);
  });
});

describe("a start is refused, in one sentence,", () => {
  const REFUSED: [what: string, env: Record<string, string>, config: string | null, says: RegExp][] = [
    [
      "with a token that can be guessed",
      { CAMINO_OPERATIONS_TOKEN: "short" },
      null,
      /CAMINO_OPERATIONS_TOKEN has 5 char.*16/,
    ],
    ["with no port", { CAMINO_OPERATIONS_PORT: "ninety" }, null, /CAMINO_OPERATIONS_PORT is "ninety"; allowed/],
    ["with a host and no port", { CAMINO_OPERATIONS_HOST: "127.0.0.1" }, null, /no port of their own/],
    [
      "with a short token in the file",
      {},
      "operations: { token: secret-one }",
      /operations\.token: found a value that is not shown/,
    ],
    [
      "with a port in the file that is none",
      {},
      "operations: { port: 70000 }",
      /operations\.port: found "70000"; allowed/,
    ],
    [
      "with a short admin token",
      { CAMINO_ADMIN_TOKEN: "a" },
      null,
      /CAMINO_ADMIN_TOKEN has 1 char.*16.*openssl rand -hex 24/,
    ],
    ["with an empty admin token", { CAMINO_ADMIN_TOKEN: "" }, null, /CAMINO_ADMIN_TOKEN has 0 char.*leave it unset/],
    [
      "with an admin token that no header can carry",
      { CAMINO_ADMIN_TOKEN: "a token with spaces in it" },
      null,
      /a space/,
    ],
  ];
  test.each(REFUSED)("%s", async (_what, env, config, says) => {
    const folder = await mkdtemp(join(tmpdir(), "camino-refused-"));
    if (config !== null) await Bun.write(join(folder, "camino.yaml"), `${config}\n`);
    const { status, stderr } = await runCamino(["serve"], { cwd: folder, env: { CAMINO_PORT: "0", ...env } });
    await rm(folder, { recursive: true });
    expect(status).toBe(1);
    expect(stderr).toMatch(says);
    expect(stderr).not.toContain("secret-one");
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test("with an admin token in the data directory that can be guessed", async () => {
    const folder = await mkdtemp(join(tmpdir(), "camino-refused-"));
    await Bun.write(join(folder, "data/admin-token"), "letmein\n");
    const { status, stderr } = await runCamino(["serve"], { cwd: folder, env: { CAMINO_PORT: "0" } });
    await rm(folder, { recursive: true });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^camino: The token in data\/admin-token has 7 characters.*remove the file/);
  });
});
