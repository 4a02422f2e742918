import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestKey } from "../../support/gateway.ts";
import { type Scene, startScene } from "./support/scene.ts";
import { STYLES } from "./support/styles.ts";

/** Secrets go where they are needed and nowhere else: not into the log, not into any answer, not into the database. */

const VENDOR_SECRETS = { ACME_API_KEY: "canaryVendorCredentialAlpha", TEAM_SECRET: "canaryVendorHeaderBravo" };
/** An environment with the most verbose log. */
const ENVIRONMENT = { ...VENDOR_SECRETS, CAMINO_LOG: "trace" };

const BEHAVIOURS = [
  ...["echo", "no-usage", "usage-negative", "fail-400", "fail-401", "fail-429", "fail-500", "html-502", "cut-mid"],
  ...["echo-secret", "echo-secret@status=500", "echo-secret@status=401", "error-mid", "redirect", "bad-json"],
];
const MODELS = Object.fromEntries(
  BEHAVIOURS.map((upstream_model, index) => [`acme/m${index}`, { upstream_model: `${upstream_model}` }]),
);

let scene: Scene;
let key: TestKey;
/** Every answer, headers included. */
const told: string[] = [];

async function hear(response: Response): Promise<void> {
  told.push(JSON.stringify([...response.headers]), await response.text().catch(() => ""));
}

beforeAll(async () => {
  const headers = { "x-team-secret": "${TEAM_SECRET}" };
  scene = await startScene({
    models: { ...MODELS, "gone/echo": {} },
    vendors: {
      acme: { api_key: "${ACME_API_KEY}", headers },
      gone: { api_key: "${ACME_API_KEY}", headers, base_url: "http://127.0.0.1:9/v1" },
    },
    env: ENVIRONMENT,
  });
  key = await scene.newKey({ credit: "100" });
  for (const model of [...Object.keys(MODELS), "gone/echo", "acme/unknown"]) {
    for (const style of STYLES) {
      for (const stream of [false, true]) {
        await hear(
          await scene.call(style, key, model, { stream, headers: { "idempotency-key": `${model}${stream}` } }),
        );
      }
    }
  }
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

function secrets(): Record<string, string> {
  const { key: client_key } = key;
  // The last four characters of a key are shown, and its prefix is public; the characters between are secret.
  return { ...VENDOR_SECRETS, client_key, client_secret: client_key.slice("cm-".length, -4) };
}

function expectNone(text: string, where: string): void {
  for (const [name, secret] of Object.entries(secrets()))
    expect([where, name, text.includes(secret)]).toEqual([where, name, false]);
}

const CREDENTIAL_HEADERS: Readonly<Record<string, string>> = { messages: "x-api-key", gemini: "x-goog-api-key" };

test("the vendor got its own credential and no other", () => {
  const { requests } = scene.simulator.log;
  expect(requests.length).toBeGreaterThan(50);
  for (const { headers, text, protocol } of requests) {
    const shown = headers[CREDENTIAL_HEADERS[protocol ?? ""] ?? "authorization"];
    expect(shown).toContain(VENDOR_SECRETS.ACME_API_KEY);
    expect(headers["x-team-secret"]).toBe(VENDOR_SECRETS.TEAM_SECRET);
    for (const sent of [text, ...Object.values(headers)]) expect(sent).not.toContain(key.key.slice("cm-".length));
  }
});

describe("no secret is", () => {
  test("in the answers to clients", async () => {
    for (const path of ["/v1/models", "/v1/usage", "/v1/credits", "/metrics", "/healthz", "/openapi.json", "/docs"])
      await hear(await fetch(scene.gateway.url + path, { headers: { authorization: `Bearer ${key.key}` } }));
    const wrong = `${key.key.slice(0, -1)}${key.key.endsWith("0") ? "1" : "0"}`;
    await hear(await scene.call(STYLES[0] as (typeof STYLES)[number], { ...key, key: wrong }, "acme/m0"));
    for (const text of told) expectNone(text, "an answer");
    expect(told.join("")).not.toContain(wrong);
  });

  test("in the answers to the console", async () => {
    const paths = ["/accounts", "/keys", `/keys/${key.id}`, "/requests?limit=500", `/accounts/${key.account}/credits`];
    for (const path of [...paths, "/models", "/usage"])
      expectNone(JSON.stringify(await scene.gateway.admin<unknown>("GET", path)), path);
  });

  test("in the log, however verbose", async () => {
    expect(await scene.gateway.stop()).toBe(0);
    const log = scene.gateway.log();
    expect(log.split("\n").length).toBeGreaterThan(100);
    expectNone(log, "the log");
    const { data } = scene.gateway;
    for (const name of ["secret", "admin-token"])
      expect(log).not.toContain((await readFile(join(data, name), "utf8")).trim());
  });

  test("in the data directory, except the gateway's own secrets in their files", async () => {
    const { data } = scene.gateway;
    const own = (await readFile(join(data, "secret"), "utf8")).trim();
    const names = await readdir(data, { recursive: true });
    expect(names).toContain("camino.db");
    for (const name of names) {
      const text = await readFile(join(data, name), "latin1");
      expectNone(text, name);
      if (name !== "secret") expect([name, text.includes(own)]).toEqual([name, false]);
    }
  });
});
