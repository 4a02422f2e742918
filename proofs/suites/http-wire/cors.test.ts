import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";

/** Web pages of other origins (docs/api.md 5.1, docs/rulings.md 195): who may call, what they may read, and nobody by default. */

const PAGE = "https://app.example";
const SETTINGS = { off: null, listed: [PAGE, "http://localhost:5173"], all: ["*"] } as const;
type Setting = keyof typeof SETTINGS;

let simulator: Simulator;
const gateways = new Map<Setting, { gateway: Gateway; key: string }>();

beforeAll(async () => {
  simulator = await startSimulator();
  for (const [setting, origins] of Object.entries(SETTINGS)) {
    const vendors = { acme: { protocol: "chat-completions", base_url: simulator.base_url } };
    const models = { "acme/echo": { price: { input: 1, output: 1 } } };
    const config = {
      catalog: "none",
      vendors,
      models,
      ...(origins && { cors: { origins } }),
      limits: { body: "1MiB" },
    };
    const gateway = await startGateway({ config: JSON.stringify(config) });
    gateways.set(setting as Setting, { gateway, key: (await gateway.newKey()).key });
  }
});

afterAll(async () => {
  for (const { gateway } of gateways.values()) await gateway[Symbol.asyncDispose]();
  await simulator.stop();
});

const at = (setting: Setting) => gateways.get(setting) ?? expect.unreachable();

interface Init extends Omit<RequestInit, "headers"> {
  readonly headers?: Readonly<Record<string, string>>;
}

function ask(setting: Setting, path: string, init: Init) {
  const { gateway, key } = at(setting);
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", ...init.headers };
  return fetch(gateway.url + path, { ...init, headers });
}

function preflight(setting: Setting, path: string, origin: string, more: { method?: string; names?: string } = {}) {
  const { method = "POST", names = "authorization,content-type" } = more;
  const headers = { origin, "access-control-request-method": method, "access-control-request-headers": names };
  return fetch(at(setting).gateway.url + path, { method: "OPTIONS", headers });
}

const allowed = ({ headers }: Response) => headers.get("access-control-allow-origin");
const CHAT = JSON.stringify({ model: "acme/echo", messages: [{ role: "user", content: "hi" }] });
const STREAM = JSON.stringify({ ...(JSON.parse(CHAT) as object), stream: true });

/** Every kind of answer of the public API. */
const ANSWERS: Readonly<Record<string, { status: number; path: string; init: Init }>> = {
  "a whole answer": { status: 200, path: "/v1/chat/completions", init: { method: "POST", body: CHAT } },
  "a stream": { status: 200, path: "/v1/chat/completions", init: { method: "POST", body: STREAM } },
  "a list": { status: 200, path: "/v1/models", init: {} },
  "a bad body": { status: 400, path: "/v1/chat/completions", init: { method: "POST", body: "{" } },
  "no key": {
    status: 401,
    path: "/v1/responses",
    init: { method: "POST", body: CHAT, headers: { authorization: "" } },
  },
  "an unknown path": { status: 404, path: "/v1/unheard-of", init: { method: "POST", body: "{}" } },
  "an unknown model": { status: 404, path: "/v1/models/nobody", init: {} },
  "a wrong method": { status: 405, path: "/v1/messages", init: {} },
  "a body too large": {
    status: 413,
    path: "/v1/chat/completions",
    init: { method: "POST", body: " ".repeat(1_100_000) },
  },
};

describe.each(Object.entries(ANSWERS))("%s", (_what, { status, path, init }) => {
  const withOrigin = (origin: string): Init => ({ ...init, headers: { ...init.headers, origin } });

  test.each<[Setting, string, string | null]>([
    ["listed", PAGE, PAGE],
    ["listed", "http://localhost:5173", "http://localhost:5173"],
    ["listed", "https://app.example.evil", null],
    ["listed", "https://evil.app.example", null],
    ["listed", "http://app.example", null],
    ["listed", "null", null],
    ["all", "https://anything.example", "*"],
    ["all", "null", "*"],
    ["off", PAGE, null],
  ])("with the setting %s is for a page of %s: %p", async (setting, origin, expected) => {
    const response = await ask(setting, path, withOrigin(origin));
    await response.text();
    expect([response.status, allowed(response)]).toEqual([status, expected]);
    expect(response.headers.get("access-control-expose-headers")).toBe(expected === null ? null : "*");
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
    expect(response.headers.get("vary")).toBe(setting === "listed" ? "origin" : null);
  });

  test("is the same for programs, which say no origin", async () => {
    const response = await ask("listed", path, init);
    await response.text();
    expect([response.status, allowed(response), response.headers.get("vary")]).toEqual([status, null, "origin"]);
  });
});

describe("a preflight", () => {
  test.each<[string, string, string]>([
    ["/v1/chat/completions", "POST", "POST"],
    ["/v1/messages", "POST", "POST"],
    ["/v1/models", "GET", "GET"],
    ["/v1/models/acme%2Fecho", "GET", "GET"],
    ["/v1/responses/resp_1", "DELETE", "GET, DELETE"],
  ])("for %s with %s is answered without a key", async (path, method, methods) => {
    const response = await preflight("listed", path, PAGE, {
      method,
      names: "authorization, x-stainless-lang,anthropic-version",
    });
    expect([response.status, await response.text()]).toEqual([204, ""]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "access-control-allow-origin": PAGE,
      "access-control-allow-methods": methods,
      "access-control-allow-headers": "authorization, x-stainless-lang,anthropic-version",
      "access-control-max-age": "7200",
    });
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
  });

  test.each<[Setting, string, string]>([
    ["off", "/v1/chat/completions", PAGE],
    ["listed", "/v1/chat/completions", "https://evil.example"],
    ["all", "/console/api/keys", PAGE],
    ["all", "/metrics", PAGE],
    ["all", "/v1/nowhere", PAGE],
  ])("with the setting %s for %s of a page of %s is refused", async (setting, path, origin) => {
    const response = await preflight(setting, path, origin);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.headers.get("access-control-allow-methods")).toBeNull();
  });

  test("never says back what is no list of names", async () => {
    for (const names of ["a b", "x;y", "*", "x".repeat(3000)]) {
      const response = await preflight("all", "/v1/models", PAGE, { method: "GET", names });
      expect([response.status, response.headers.get("access-control-allow-headers")]).toEqual([204, null]);
    }
  });
});

test("a head that is too large, which nobody has read, is readable where all pages may call", async () => {
  const headers = { origin: PAGE, "x-large": "x".repeat(20_000) };
  expect(await ask("all", "/v1/models", { headers }).then((r) => [r.status, allowed(r)])).toEqual([431, "*"]);
  expect(await ask("listed", "/v1/models", { headers }).then((r) => [r.status, allowed(r)])).toEqual([431, null]);
});

test("the console and the operations endpoints are no part of it", async () => {
  for (const path of ["/console/", "/healthz", "/metrics", "/openapi.json", "/console/api/keys"]) {
    const response = await ask("all", path, { headers: { origin: PAGE } });
    await response.text();
    expect([path, allowed(response)]).toEqual([path, null]);
  }
});
