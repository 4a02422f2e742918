import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type SimulatedGateway, startSimulatedGateway } from "../../support/simulated-gateway.ts";

/** Gemini's style by HTTP alone: what no official client does, and what lies below it (docs/api.md 4.14, 6.4). */

let simulated: SimulatedGateway;
let key: string;

beforeAll(async () => {
  simulated = await startSimulatedGateway({ models: { "acme/echo": {}, "acme/error-mid": {}, "acme/fail-500": {} } });
  const made = await simulated.gateway.newKey({});
  key = made.key;
});
afterAll(() => simulated[Symbol.asyncDispose]());

const BODY = JSON.stringify({ contents: [{ role: "user", parts: [{ text: "one two three" }] }] });

function ask(
  path: string,
  { headers = { "x-goog-api-key": key }, body = BODY }: { headers?: Record<string, string>; body?: string } = {},
) {
  return fetch(`${simulated.gateway.url}${path}`, { method: "POST", headers, body });
}

describe("a key", () => {
  test("in the address is refused with a sentence, also beside a good one, and logged nowhere", async () => {
    for (const headers of [{}, { "x-goog-api-key": key }] as Record<string, string>[]) {
      const response = await ask(`/v1beta/models/acme/echo:generateContent?key=${key}`, { headers });
      expect(response.status).toBe(401);
      const { error } = (await response.json()) as { error: { status: string; message: string } };
      expect(error).toMatchObject({ status: "UNAUTHENTICATED", message: expect.stringContaining("x-goog-api-key") });
    }
    const models = await fetch(`${simulated.gateway.url}/v1beta/models?key=${key}`);
    expect(models.status).toBe(401);
  });

  test("may come as a bearer, and two that differ are none", async () => {
    expect(
      (await ask("/v1beta/models/acme/echo:generateContent", { headers: { authorization: `Bearer ${key}` } })).status,
    ).toBe(200);
    const both = { authorization: `Bearer ${key}`, "x-goog-api-key": "cm-other" };
    expect((await ask("/v1beta/models/acme/echo:generateContent", { headers: both })).status).toBe(401);
  });
});

describe("a stream", () => {
  test("without alt=sse is one JSON array, and a repeat gets it again", async () => {
    const headers = { "x-goog-api-key": key, "idempotency-key": "array" };
    const first = await ask("/v1beta/models/acme%2Fecho:streamGenerateContent", { headers });
    expect(first.headers.get("content-type")).toStartWith("application/json");
    const text = await first.text();
    const pieces = JSON.parse(text) as {
      candidates: { content: { parts: { text: string }[] } }[];
      usageMetadata?: object;
    }[];
    expect(
      pieces
        .flatMap(({ candidates }) => candidates[0]?.content.parts ?? [])
        .map((part) => part.text)
        .join(""),
    ).toContain("one two three");
    expect(pieces.at(-1)?.usageMetadata).toMatchObject({ cost: expect.any(Number) });
    const again = await ask("/v1beta/models/acme%2Fecho:streamGenerateContent", { headers });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.headers.get("content-type")).toStartWith("application/json");
    expect(await again.text()).toBe(text);
    const other = await ask("/v1beta/models/acme%2Fecho:streamGenerateContent?alt=sse", { headers });
    expect(other.status).toBe(409);
  });

  test("that breaks ends with an error in its form", async () => {
    const events = await (await ask("/v1beta/models/acme/error-mid:streamGenerateContent?alt=sse")).text();
    expect(events.trimEnd().split("\n\n").at(-1)).toMatch(/^data: {"error":{"code":50\d/);
    const array = (await (await ask("/v1beta/models/acme/error-mid:streamGenerateContent")).json()) as object[];
    expect(array.at(-1)).toMatchObject({ error: { status: "UNAVAILABLE" } });
  });
});

test("a large body, worked on by another thread, is answered and counted like any other", async () => {
  const body = JSON.stringify({ contents: [{ parts: [{ text: `${"word ".repeat(150_000)}END` }] }] });
  const answer = await ask("/v1beta/models/acme/echo:generateContent", { body });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ modelVersion: "acme/echo", usageMetadata: { cost: expect.any(Number) } });
  const events = await (await ask("/v1beta/models/acme/echo:streamGenerateContent", { body })).json();
  expect(events).toBeArray();
  const counted = (await (await ask("/v1beta/models/acme/echo:countTokens", { body })).json()) as {
    totalTokens: number;
  };
  expect(counted.totalTokens).toBeGreaterThan(10_000);
});

test("what is not there, and what is asked in the wrong way, is told in this style", async () => {
  const missing = await ask("/v1beta/models/acme/echo:embedContent");
  expect(missing.status).toBe(405);
  expect(await missing.json()).toMatchObject({ error: { code: 405, status: "UNIMPLEMENTED" } });
  const nowhere = await ask("/v1beta/files");
  expect(await nowhere.json()).toMatchObject({ error: { code: 404, status: "NOT_FOUND" } });
  const models = await fetch(`${simulated.gateway.url}/v1/models`, { headers: { "x-goog-api-key": key } });
  expect(await models.json()).toHaveProperty("models");
});
