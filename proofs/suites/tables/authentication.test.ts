import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Answer, Caller, GENERATION } from "../../support/calls.ts";
import { sectionOf, tableRows } from "../../support/documented-errors.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";

/** docs/api.md 4 and 5: which header each endpoint takes its key from, and the answers to refused keys. */

let gateway: Gateway;
let key: TestKey;

beforeAll(async () => {
  gateway = await startGateway();
  key = await gateway.newKey();
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
});

type Style = "a" | "b" | "c";

/** The headers beside the bearer token that an endpoint takes, as docs/api.md 4 writes them. */
const TAKEN = {
  bearer: [],
  "`x-api-key` or bearer": ["x-api-key"],
  "`x-goog-api-key` or bearer": ["x-goog-api-key"],
  any: ["x-api-key", "x-goog-api-key"],
} as const;
type KeyIn = keyof typeof TAKEN;

interface Endpoint {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  /** The endpoint as docs/api.md 4 writes it. */
  readonly documented?: string;
  readonly key_in: KeyIn;
  /** The style of the endpoint's errors, where the header does not choose it. */
  readonly style?: Style;
  readonly body?: object;
  /** The status that a valid key gets. */
  readonly status?: number;
}

const { chat, responses, messages } = GENERATION;
const counted = { model: "sim/echo", messages: messages.body("sim/echo").messages };

const question = { type: "predicate", instructions: "Is it?" };
const decided = { model: "sim/decider", input: "It is.", questions: [question] };
const keyed = { model: "sim/decider", state: "It is.", questions: { q: { ...question, type: "noul" } } };

const ENDPOINTS: Endpoint[] = [
  { method: "POST", path: chat.path, key_in: "bearer", style: "a", body: chat.body("sim/echo") },
  { method: "POST", path: responses.path, key_in: "bearer", style: "a", body: responses.body("sim/echo") },
  ...["compact", "input_tokens"].map(
    (name): Endpoint => ({
      ...{ method: "POST", path: `/v1/responses/${name}`, key_in: "bearer", style: "a" },
      body: responses.body("sim/echo"),
    }),
  ),
  ...(["GET", "DELETE"] as const).map(
    (method): Endpoint => ({
      method,
      path: "/v1/responses/resp_none",
      documented: "/v1/responses/{response_id}",
      key_in: "bearer",
      style: "a",
      status: 404,
    }),
  ),
  {
    method: "GET",
    path: "/v1/responses/resp_none/input_items",
    documented: "/v1/responses/{response_id}/input_items",
    key_in: "bearer",
    style: "a",
    status: 404,
  },
  { method: "POST", path: messages.path, key_in: "`x-api-key` or bearer", style: "b", body: messages.body("sim/echo") },
  { method: "POST", path: "/v1/messages/count_tokens", key_in: "`x-api-key` or bearer", style: "b", body: counted },
  {
    ...{ method: "POST", path: "/v1/embeddings", key_in: "bearer", style: "a" },
    body: { model: "sim/embed", input: "x" },
  },
  {
    ...{ method: "POST", path: "/v1/completions", key_in: "bearer", style: "a" },
    body: { model: "sim/echo", prompt: "x" },
  },
  ...["/v1/rerank", "/v2/rerank"].map(
    (path): Endpoint => ({
      ...{ method: "POST", path, key_in: "bearer", style: "a" },
      body: { model: "sim/rank", query: "x", documents: ["x"] },
    }),
  ),
  {
    ...{ method: "POST", path: "/v1/moderations", key_in: "bearer", style: "a" },
    body: { model: "sim/moderator", input: "x" },
  },
  {
    ...{ method: "POST", path: "/v1/audio/speech", key_in: "bearer", style: "a" },
    body: { model: "sim/speak", input: "x", voice: "coral" },
  },
  {
    ...{ method: "POST", path: "/v1/images/generations", key_in: "bearer", style: "a" },
    body: { model: "sim/draw", prompt: "x" },
  },
  {
    ...{ method: "POST", path: "/v1/images/edits", key_in: "bearer", style: "a" },
    body: { model: "sim/draw", prompt: "x", images: [{ image_url: "data:image/png;base64,iVBORw0KGgo=" }] },
  },
  // Forms: a body in JSON is refused once the key is known.
  ...["transcriptions", "translations"].map(
    (name): Endpoint => ({
      ...{ method: "POST", path: `/v1/audio/${name}`, key_in: "bearer", style: "a" },
      ...{ body: { model: "sim/listen" }, status: 400 },
    }),
  ),
  ...["generateContent", "streamGenerateContent", "countTokens"].map(
    (name): Endpoint => ({
      ...{ method: "POST", path: `/v1beta/models/sim/echo:${name}`, key_in: "`x-goog-api-key` or bearer", style: "c" },
      documented: `/v1beta/models/{model}:${name}`,
      body: { contents: [{ role: "user", parts: [{ text: "Hello." }] }] },
    }),
  ),
  { method: "GET", path: "/v1beta/models", key_in: "any", style: "c" },
  {
    ...{ method: "GET", path: "/v1beta/models/sim%2Fecho", key_in: "any", style: "c" },
    documented: "/v1beta/models/{model}",
  },
  { method: "GET", path: "/v1/models", key_in: "any" },
  { method: "GET", path: "/v1/models/sim%2Fecho", documented: "/v1/models/{model}", key_in: "any" },
  { method: "POST", path: "/v1/decisions", key_in: "bearer", style: "a", body: decided },
  { method: "POST", path: "/v1/systemone", key_in: "bearer", style: "a", body: keyed },
  { method: "GET", path: "/v1/usage", key_in: "any" },
  { method: "GET", path: "/v1/credits", key_in: "any" },
  { method: "GET", path: "/v1/key", key_in: "any" },
  { method: "GET", path: "/v1/generation?id=req_none", documented: "/v1/generation", key_in: "any", status: 404 },
  {
    method: "GET",
    path: "/v1/requests/req_none",
    documented: "/v1/requests/{request_id}",
    key_in: "any",
    status: 404,
  },
];

async function call({ method, path, body }: Endpoint, headers: Record<string, string | null>): Promise<Answer> {
  const caller = new Caller(gateway, "");
  if (method === "DELETE") return await caller.delete(path, headers);
  return method === "POST" ? await caller.post(path, body, headers) : await caller.get(path, headers);
}

const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });
const in_header = (name: string, credential: string) => ({ authorization: null, [name]: credential });

/** Checks a 401 in the style that the endpoint, or its header, chooses. */
function expectUnauthorized(answer: Answer, style: Style, code: string): void {
  expect(answer.status).toBe(401);
  expect(answer.headers.get("x-should-retry")).toBe("false");
  expect(answer.headers.get("content-type")).toBe("application/json");
  if (style === "a") {
    expect(answer.json).toEqual({
      error: { type: "authentication_error", code, param: null, message: expect.any(String) },
    });
  } else if (style === "c") {
    expect(answer.json).toEqual({
      error: {
        ...{ code: 401, message: expect.any(String), status: "UNAUTHENTICATED" },
        details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", domain: "camino", reason: code }],
      },
    });
  } else {
    expect(answer.json).toEqual({
      type: "error",
      error: { type: "authentication_error", message: expect.any(String) },
      request_id: answer.headers.get("request-id"),
    });
  }
}

test("these are the document's endpoints", () => {
  const document = sectionOf(/^## 4\. Endpoints/m);
  const rows = tableRows(document.slice(0, document.indexOf("Clients send"))).slice(1);
  const documented = rows.map(([method = "", path = "", key_in = ""]) => [
    method.trim(),
    path.replaceAll("`", ""),
    key_in,
  ]);
  const ours: string[][] = ENDPOINTS.map(({ method, path, documented: written = path, key_in }) => [
    method,
    written,
    key_in,
  ]);
  expect(ours).toEqual(documented);
});

describe.each(ENDPOINTS)("$method $path", (endpoint) => {
  const { key_in, style = "a", status = 200 } = endpoint;
  const taken: readonly string[] = TAKEN[key_in];
  /** Models, usage and credits answer in the style of the header that the key is in. */
  const styleOf = (header: string): Style => endpoint.style ?? (header === "x-api-key" ? "b" : "c");

  test("takes a bearer token", async () => {
    expect((await call(endpoint, bearer(key.key))).status).toBe(status);
    expect((await call(endpoint, { authorization: `bearer  ${key.key} ` })).status).toBe(status);
  });

  test.each(["x-api-key", "x-goog-api-key"])(`takes %s: ${taken.join(", ") || "neither"}`, async (header) => {
    const answer = await call(endpoint, in_header(header, key.key));
    if (taken.includes(header)) expect(answer.status).toBe(status);
    else expectUnauthorized(answer, style, "missing_api_key");
  });

  test("takes both headers where they agree, and neither where they differ", async () => {
    expect((await call(endpoint, { ...bearer(key.key), "x-api-key": key.key })).status).toBe(status);
    const other = await gateway.newKey();
    const answer = await call(endpoint, { ...bearer(key.key), "x-api-key": other.key });
    expectUnauthorized(answer, styleOf("x-api-key"), "invalid_api_key");
  });

  test.each([
    ["no header", { authorization: null }],
    ["an empty bearer", { authorization: "Bearer " }],
    ["another scheme", { authorization: "Basic dXNlcjpwYXNz" }],
    ["an empty x-api-key", { authorization: null, "x-api-key": "" }],
  ])("%s is missing_api_key", async (_what, headers) => {
    expectUnauthorized(await call(endpoint, headers), style, "missing_api_key");
  });

  test.each([
    ["no key of ours", "sk-0123456789"],
    ["a key with a wrong checksum", "cm-0000000000000000000000000000000000000000000000000000000"],
    ["half a key", "cm-123"],
  ])("%s is invalid_api_key", async (_what, credential) => {
    expectUnauthorized(await call(endpoint, bearer(credential)), style, "invalid_api_key");
    for (const header of taken)
      expectUnauthorized(await call(endpoint, in_header(header, credential)), styleOf(header), "invalid_api_key");
  });

  test("a key whose last character was changed is invalid_api_key", async () => {
    const last = key.key.at(-1) === "A" ? "B" : "A";
    expectUnauthorized(await call(endpoint, bearer(key.key.slice(0, -1) + last)), style, "invalid_api_key");
  });

  test("a disabled key is refused from its next request on, and taken again when it is enabled", async () => {
    const own = await gateway.newKey();
    expect((await call(endpoint, bearer(own.key))).status).toBe(status);
    await gateway.admin("POST", `/keys/${own.id}/disable`);
    expectUnauthorized(await call(endpoint, bearer(own.key)), style, "api_key_inactive");
    await gateway.admin("POST", `/keys/${own.id}/enable`);
    expect((await call(endpoint, bearer(own.key))).status).toBe(status);
  });

  test("a revoked key is refused for good, and a deleted one does not exist", async () => {
    const own = await gateway.newKey();
    expect((await call(endpoint, bearer(own.key))).status).toBe(status);
    await gateway.admin("POST", `/keys/${own.id}/revoke`);
    expectUnauthorized(await call(endpoint, bearer(own.key)), style, "api_key_inactive");
    await expect(gateway.admin("POST", `/keys/${own.id}/enable`)).rejects.toThrow("40");
    await gateway.admin("DELETE", `/keys/${own.id}`);
    expectUnauthorized(await call(endpoint, bearer(own.key)), style, "invalid_api_key");
  });

  test("a key of a disabled account is user_inactive, until the account is enabled", async () => {
    const own = await gateway.newKey();
    expect((await call(endpoint, bearer(own.key))).status).toBe(status);
    await gateway.admin("POST", `/accounts/${own.account}/disable`);
    expectUnauthorized(await call(endpoint, bearer(own.key)), style, "user_inactive");
    await gateway.admin("POST", `/accounts/${own.account}/enable`);
    expect((await call(endpoint, bearer(own.key))).status).toBe(status);
  });
});

test("a key is api_key_inactive from its expiry on, on every endpoint, whether it was seen before or not", async () => {
  const expires_ms = Date.now() + 4000;
  const own = await gateway.newKey({ expires_at: new Date(expires_ms).toISOString() });
  for (const endpoint of ENDPOINTS) {
    expect((await call(endpoint, bearer(own.key))).status).toBe(endpoint.status ?? 200);
  }
  await Bun.sleep(expires_ms - Date.now() + 5);
  for (const endpoint of ENDPOINTS) {
    expectUnauthorized(await call(endpoint, bearer(own.key)), endpoint.style ?? "a", "api_key_inactive");
  }
});

test("a 401 comes before every other error, in the endpoint's style", async () => {
  const broken = { ...ENDPOINTS[0], body: {} } as Endpoint;
  expectUnauthorized(await call(broken, { authorization: null }), "a", "missing_api_key");
  const no_version = { ...bearer("cm-123"), "anthropic-version": null };
  expectUnauthorized(
    await call(ENDPOINTS.find(({ path }) => path === messages.path) as Endpoint, no_version),
    "b",
    "invalid_api_key",
  );
});

test("a key of another gateway is not accepted here", async () => {
  await using other = await startGateway();
  const foreign = await other.newKey();
  expectUnauthorized(await call(ENDPOINTS[0] as Endpoint, bearer(foreign.key)), "a", "invalid_api_key");
});
