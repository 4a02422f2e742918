import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ERRORS, type ErrorCode } from "../../../src/core/errors.ts";
import {
  type Answer,
  Caller,
  GENERATION,
  GENERATION_NAMES,
  type GenerationName,
  type Json,
} from "../../support/calls.ts";
import { type DocumentedRow, documentedRows } from "../../support/documented-errors.ts";
import { type SimulatedGateway, startSimulatedGateway, VENDOR_KEY } from "../../support/simulated-gateway.ts";
import { RawConnection } from "../failures/support/raw-connection.ts";

/** docs/api.md 7: every row of the tables of errors, provoked over HTTP, in the style that the request asks for. */

const BODY_LIMIT = 64 * 1024;
const VENDOR_STATUSES = [400, 401, 403, 404, 408, 422, 429, 500, 503, 529];

let simulated: SimulatedGateway;
let caller: Caller;
const callers: Record<string, Caller> = {};

beforeAll(async () => {
  const ids = ["echo", "echo-secret", "bad-json", "fail-429", "fail-500"];
  // Each test has a model of its own, because a model that fails too often is not called for a while.
  const failing = GENERATION_NAMES.flatMap((name) => VENDOR_STATUSES.map((status) => ({ name, status })));
  simulated = await startSimulatedGateway({
    models: {
      ...Object.fromEntries(ids.map((id) => [`acme/${id}`, {}])),
      ...Object.fromEntries(
        failing.map(({ name, status }) => [`acme/${name}-${status}`, { upstream_model: `fail-${status}@for=${name}` }]),
      ),
      "acme/slow": { upstream_model: "slow@ms=20" },
      "acme/decider": {
        kind: "decision",
        price: { input: 1 },
        decide_with: { engine: "logprobs", model: "acme/echo" },
      },
      "away/gone": {},
    },
    limits: { body: "64KiB" },
  });
  const { gateway } = simulated;
  const keys = {
    plain: await gateway.newKey(),
    poor: await gateway.newKey({ credit: "0" }),
    budgeted: await gateway.newKey({ budget: { amount: "0.000001", window: "day" } }),
    restricted: await gateway.newKey({ models: ["acme/slow"] }),
    disabled: await gateway.newKey(),
    orphaned: await gateway.newKey(),
    few_requests: await gateway.newKey({ rpm: 1 }),
    few_reads: await gateway.newKey({ rpm: 1 }),
    few_tokens: await gateway.newKey({ tpm: 1 }),
    few_at_once: await gateway.newKey({ concurrent: 1 }),
  };
  for (const [name, { key }] of Object.entries(keys)) callers[name] = new Caller(gateway, key);
  callers.nobody = new Caller(gateway, "cm-123");
  caller = by("plain");
  await gateway.admin("POST", `/keys/${keys.disabled.id}/disable`);
  await gateway.admin("POST", `/accounts/${keys.orphaned.account}/disable`);
  for (const name of ["few_requests", "few_tokens"]) await by(name).generate("chat", "acme/echo");
});

afterAll(async () => {
  await simulated[Symbol.asyncDispose]();
});

function by(name: string): Caller {
  const found = callers[name];
  if (found === undefined) throw new Error(`there is no key ${name}`);
  return found;
}

/** Checks an answer against the one table of errors: status, type, code, and its headers about trying again. */
function expectError(answer: Answer, code: ErrorCode, style: "a" | "b", type_b: string = ERRORS[code].type_b): void {
  const { status, type_a, retryable } = ERRORS[code];
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status });
  expect(answer.headers.get("content-type")).toBe("application/json");
  const id = answer.headers.get("x-request-id");
  if (style === "a") {
    const { param } = answer.error;
    expect(answer.json).toEqual({ error: { type: type_a, code, param, message: expect.any(String) } });
    expect(param === null || typeof param === "string").toBeTrue();
  } else {
    expect(answer.json).toEqual({
      type: "error",
      error: { type: type_b, message: expect.any(String) },
      request_id: id,
    });
  }
  expect(answer.headers.get("x-should-retry")).toBe(retryable ? null : "false");
  if (retryable) expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  else expect(answer.headers.has("retry-after")).toBeFalse();
}

type Provoke = (name: GenerationName) => Promise<Answer>;

const answered =
  (key: string): Provoke =>
  (name) =>
    by(key).generate(name, "acme/echo");
const with_model =
  (model: string): Provoke =>
  (name) =>
    caller.generate(name, model);
const with_fields =
  (fields: Json): Provoke =>
  (name) =>
    caller.generate(name, "acme/echo", fields);
const messages = (...list: Json[]) => with_fields({ messages: list });

/** A call for each code of the generation endpoints that provokes it. */
const PROVOKED: Partial<Record<ErrorCode, Provoke>> = {
  invalid_json: (name) => caller.post(GENERATION[name].path, "{"),
  invalid_messages: messages(),
  unsupported_message_role: messages({ role: "critic", content: "x" }),
  unsupported_parameter: with_fields({ reasoning_effort: "extreme" }),
  tool_call_id_mismatch: messages({ role: "tool", tool_call_id: "none", content: "x" }),
  invalid_responses_input: with_fields({ input: 1 }),
  unsupported_responses_feature: with_fields({ background: true }),
  invalid_request: messages(),
  missing_api_key: (name) => {
    const { path, body } = GENERATION[name];
    return caller.post(path, body("acme/echo"), { authorization: null });
  },
  invalid_api_key: answered("nobody"),
  api_key_inactive: answered("disabled"),
  user_inactive: answered("orphaned"),
  insufficient_balance: answered("poor"),
  model_not_found: with_model("acme/nothing"),
  rate_limit_exceeded: answered("few_requests"),
  provider_rate_limited: with_model("acme/fail-429"),
  previous_response_not_found: with_fields({ previous_response_id: "resp_none" }),
  item_not_found: with_fields({ input: [{ type: "item_reference", id: "msg_none" }] }),
  db_error: (name) => withoutTable("stored_responses", () => with_fields({ previous_response_id: "resp_none" })(name)),
  internal_error: (name) => withoutKeys(() => by("plain").generate(name, "acme/echo")),
  provider_error: with_model("acme/fail-500"),
  model_unavailable: with_model("away/gone"),
  model_not_supported_on_endpoint: with_model("acme/decider"),
};

/**
 * Does `work` while the database lacks a table, as by a fault. The gateway also forgets its cached keys, so that it has
 * to read the database.
 */
async function withoutKeys<Result>(work: () => Promise<Result>): Promise<Result> {
  const { key } = by("plain");
  const { data } = await simulated.gateway.admin<{ data: { id: string; hint: string }[] }>("GET", "/keys");
  const id = data.find(({ hint }) => key.endsWith(hint))?.id ?? "";
  await simulated.gateway.admin("POST", `/keys/${id}/enable`);
  return await withoutTable("keys", work);
}

async function withoutTable<Result>(table: string, work: () => Promise<Result>): Promise<Result> {
  const database = new Database(join(simulated.gateway.data, "camino.db"));
  database.run("PRAGMA busy_timeout = 5000");
  database.run(`ALTER TABLE ${table} RENAME TO ${table}_away`);
  try {
    return await work();
  } finally {
    database.run(`ALTER TABLE ${table}_away RENAME TO ${table}`);
    database.close();
  }
}

const GENERATION_SECTIONS: Record<GenerationName, string> = { chat: "7.1", responses: "7.2", messages: "7.3" };

describe.each(GENERATION_NAMES)("7.1 to 7.3: %s", (name) => {
  const { style } = GENERATION[name];

  test.each(documentedRows(GENERATION_SECTIONS[name]))("$status $code", async (row: DocumentedRow) => {
    const code = row.code as ErrorCode;
    const answer = await PROVOKED[code]?.(name);
    if (answer === undefined) throw new Error(`nothing here provokes ${code}`);
    expectError(answer, code, style);
    expect(answer.status).toBe(row.status);
    expect(answer.error.type).toBe(row.types.at(style === "a" ? 0 : -1) ?? "");
  });

  test("400 model_not_supported_on_endpoint: a decision model", async () => {
    expectError(await with_model("acme/decider")(name), "model_not_supported_on_endpoint", style);
  });

  test("402 also where the key's own budget does not cover the request, and the message says which", async () => {
    const answer = await answered("budgeted")(name);
    expectError(answer, "insufficient_balance", style);
    expect(answer.error.message).toMatch(/budget for the day/);
  });

  test("404 also for a model that the key may not use: nothing is revealed", async () => {
    const hidden = await answered("restricted")(name);
    expectError(hidden, "model_not_found", style);
    const missing = await by("restricted").generate(name, "acme/nothing");
    expect(String(hidden.error.message).replace("echo", "nothing")).toBe(String(missing.error.message));
  });

  test.each([
    ["few_requests", "limit of 1 request per minute"],
    ["few_tokens", "limit of 1 token per minute"],
    ["few_at_once", "limit of 1 concurrent request "],
  ])("429 for %s, and the message says which limit", async (key, words) => {
    const own = by(key);
    const running = key === "few_at_once" ? await runningStream(own) : null;
    const answer = await own.generate(name, "acme/echo");
    expectError(answer, "rate_limit_exceeded", style);
    expect(answer.error.message).toContain(words);
    await running?.body?.cancel();
  });

  test("a refused stream is refused in JSON, in the same words", async () => {
    expectError(await by("poor").generate(name, "acme/echo", { stream: true }), "insufficient_balance", style);
  });
});

/** Starts a stream, which takes the key's only place. */
async function runningStream(own: Caller): Promise<Response> {
  const body = { ...GENERATION.chat.body("acme/slow", "word ".repeat(400)), stream: true };
  for (;;) {
    const response = await own.send("POST", GENERATION.chat.path, body);
    if (response.status === 200) return response;
    // The stream of the test before is still being ended.
    await response.body?.cancel();
    await Bun.sleep(10);
  }
}

describe("the error of a vendor's failure", () => {
  const BECOMES: Record<number, ErrorCode | null> = {
    // The endpoint's general code.
    400: null,
    422: null,
    401: "provider_error",
    403: "provider_error",
    404: "model_unavailable",
    408: "provider_error",
    429: "provider_rate_limited",
    500: "provider_error",
    503: "provider_error",
    529: "provider_error",
  };
  const general = { chat: "unsupported_parameter", responses: "invalid_responses_input", messages: "invalid_request" };

  test.each(GENERATION_NAMES.flatMap((name) => VENDOR_STATUSES.map((status) => [name, status] as const)))(
    "%s: %d",
    async (name, status) => {
      const code = BECOMES[status] ?? (general[name] as ErrorCode);
      const answer = await with_model(`acme/${name}-${status}`)(name);
      expectError(answer, code, GENERATION[name].style);
      if (status === 400) expect(answer.error.message).toContain("the request was not understood");
      if (status === 401) expect(answer.error.message).not.toContain("API key provided");
      expect(answer.text).not.toContain("org-simulated");
    },
  );

  test.each(GENERATION_NAMES)("%s: the vendor's sentence is cleaned of secrets and account details", async (name) => {
    const answer = await with_model("acme/echo-secret")(name);
    expect(answer.status).toBe(400);
    expect(answer.error.message).toContain("refused");
    expect(answer.text).not.toContain(VENDOR_KEY);
    expect(answer.text).not.toContain("org-simulated");
  });

  test("no error names the vendor's address", async () => {
    for (const model of ["away/gone", "acme/fail-500", "acme/bad-json"]) {
      expect((await with_model(model)("chat")).text).not.toContain("127.0.0.1");
    }
  });
});

/** Reads as often as a key of one request a minute may, and once more, whose answer is returned. */
async function readTooOften(path: string, key: string, headers: Record<string, string | null> = {}): Promise<Answer> {
  for (;;) {
    const answer = await by(key).get(path, headers);
    if (answer.status === 429) return answer;
  }
}

describe("7.7 stored responses", () => {
  const RESPONSE = "/v1/responses/resp_none";
  const get = (path: string) => () => caller.get(path);
  const provoked: Partial<Record<ErrorCode, () => Promise<Answer>>> = {
    unsupported_parameter: get(`${RESPONSE}/input_items?limit=0`),
    missing_api_key: () => caller.get(RESPONSE, { authorization: null }),
    invalid_api_key: () => by("nobody").get(RESPONSE),
    api_key_inactive: () => by("disabled").get(RESPONSE),
    user_inactive: () => by("orphaned").get(RESPONSE),
    not_found: get(RESPONSE),
    rate_limit_exceeded: () => readTooOften(RESPONSE, "few_reads"),
    db_error: () => withoutTable("stored_responses", get(RESPONSE)),
  };

  // proofs/suites/failures/outages.test.ts takes the database away.
  const here = documentedRows("7.7").filter(({ code }) => code !== "model_unavailable");

  test.each(here)("$status $code", async (row: DocumentedRow) => {
    const code = row.code as ErrorCode;
    const answer = await provoked[code]?.();
    if (answer === undefined) throw new Error(`nothing here provokes ${code}`);
    expectError(answer, code, "a");
    expect(answer.status).toBe(row.status);
  });

  test.each(["limit=101", "limit=x", "order=up", "after=msg_none"])(
    "a list cannot be asked for by %s",
    async (query) => {
      const kept = await caller.generate("responses", "acme/echo");
      const { id } = JSON.parse(kept.text) as { id: string };
      const answer = await caller.get(`/v1/responses/${id}/input_items?${query}`);
      expectError(answer, "unsupported_parameter", "a");
      expect(answer.error.param).toBe(query.slice(0, query.indexOf("=")));
    },
  );

  test("a stored response is not given as a stream", async () => {
    expectError(await caller.get(`${RESPONSE}?stream=true`), "unsupported_parameter", "a");
  });
});

describe("7.5 models, usage, credits and requests", () => {
  const READING = ["/v1/models", "/v1/models/acme%2Fecho", "/v1/usage", "/v1/credits", "/v1/requests/req_1"];
  const STYLES = ["a", "b"] as const;
  const key_in = (style: "a" | "b", key: string) =>
    style === "a" ? { authorization: `Bearer ${key}` } : { authorization: null, "x-api-key": key };

  test("these are the document's codes, all of them", () => {
    const codes = new Set(documentedRows("7.5").map(({ code }) => code));
    const here = ["unsupported_parameter", "model_not_found", "not_found", "rate_limit_exceeded"];
    const faults = ["internal_error", "db_error"];
    const keys = ["missing_api_key", "invalid_api_key", "api_key_inactive", "user_inactive"];
    // proofs/suites/failures/outages.test.ts takes the database away.
    expect([...codes].sort()).toEqual([...here, ...faults, ...keys, "model_unavailable"].sort());
  });

  test.each(STYLES)("400 unsupported_parameter, style %s", async (style) => {
    const answer = await caller.get("/v1/models?kind=odd", key_in(style, caller.key));
    expectError(answer, "unsupported_parameter", style);
    if (style === "a") expect(answer.error.param).toBe("kind");
  });

  test.each(READING.flatMap((path) => STYLES.map((style) => [path, style] as const)))(
    "401 on %s, style %s",
    async (path, style) => {
      const codes = { nobody: "invalid_api_key", disabled: "api_key_inactive", orphaned: "user_inactive" } as const;
      for (const [key, code] of Object.entries(codes)) {
        expectError(await caller.get(path, key_in(style, by(key).key)), code, style);
      }
    },
  );

  test.each(READING)("401 missing_api_key on %s, style A, as no header chose another", async (path) => {
    expectError(await caller.get(path, { authorization: null }), "missing_api_key", "a");
  });

  test.each(READING.flatMap((path) => STYLES.map((style) => [path, style] as const)))(
    "429 on %s, style %s",
    async (path, style) => {
      const answer = await readTooOften(path, "few_reads", key_in(style, by("few_reads").key));
      expectError(answer, "rate_limit_exceeded", style);
    },
  );

  test.each(STYLES)("404 model_not_found, style %s", async (style) => {
    const answer = await caller.get("/v1/models/acme%2Fnothing", key_in(style, caller.key));
    expectError(answer, "model_not_found", style, "not_found_error");
  });

  test.each(STYLES)("404 not_found for a receipt, style %s", async (style) => {
    expectError(await caller.get("/v1/requests/req_none", key_in(style, caller.key)), "not_found", style);
  });

  test("404 not_found for a receipt of another account", async () => {
    const other = await caller.generate("chat", "acme/echo");
    const path = `/v1/requests/${other.headers.get("x-camino-request-id")}`;
    expect((await caller.get(path)).status).toBe(200);
    expectError(await by("poor").get(path), "not_found", "a");
  });

  test.each(READING.flatMap((path) => STYLES.map((style) => [path, style] as const)))(
    "500 on %s, style %s",
    async (path, style) => {
      const code = path.startsWith("/v1/models") ? "internal_error" : "db_error";
      const answer = await withoutKeys(() => caller.get(path, key_in(style, caller.key)));
      expectError(answer, code, style);
      expect(answer.text).not.toMatch(/SQL|table|keys/i);
    },
  );
});

describe("7.6 additions", () => {
  test("these are the document's codes, all of them", () => {
    expect(documentedRows("7.6").map(({ code }) => code)).toEqual([
      // proofs/suites/operations tests it, with a hook.
      "refused_by_policy",
      "model_not_supported_on_endpoint",
      // proofs/suites/administration tests it, with limits by tag.
      "missing_tag",
      "invalid_request",
      "not_found",
      "method_not_allowed",
      // Takes half a minute: proofs/suites/failures tests it, with shorter timers.
      "request_timeout",
      "idempotency_key_reused",
      "idempotency_in_progress",
      "request_too_large",
      // proofs/suites/http-wire tests both, with raw bytes.
      "unsupported_content_encoding",
      "upgrade_required",
      "headers_too_large",
    ]);
  });

  test.each([
    ["/v1/nothing", {}, "a"],
    ["/v1/models-and-more", {}, "a"],
    ["/v2/chat/completions", {}, "a"],
    ["/", {}, "a"],
    ["/v1/messages/batches", {}, "b"],
    ["/v1/nothing", { "x-api-key": "cm-123" }, "b"],
  ] as const)("404 not_found: %s with %p, style %s", async (path, headers, style) => {
    expectError(await caller.get(path, headers), "not_found", style);
    expectError(await caller.post(path, {}, headers), "not_found", style);
  });

  test.each([
    ["GET", "/v1/chat/completions", "POST", "a"],
    ["PUT", "/v1/responses", "POST", "a"],
    ["DELETE", "/v1/messages", "POST", "b"],
    ["POST", "/v1/models", "GET", "a"],
    ["DELETE", "/v1/models/acme%2Fecho", "GET", "a"],
    ["POST", "/v1/usage", "GET", "a"],
    ["PATCH", "/v1/credits", "GET", "a"],
    ["POST", "/v1/requests/req_1", "GET", "a"],
    ["POST", "/healthz", "GET", "a"],
  ] as const)("405 method_not_allowed: %s %s, which takes %s", async (method, path, allow, style) => {
    const response = await caller.send(method, path);
    const text = await response.text();
    const json = JSON.parse(text) as Json;
    const answer = { status: response.status, headers: response.headers, text, json, error: json.error as Json };
    expectError(answer, "method_not_allowed", style);
    expect(response.headers.get("allow")).toBe(allow);
  });

  test.each(["/healthz", "/readyz", "/openapi.json", "/v1/models", "/v1/credits"])(
    "HEAD %s is GET without its body",
    async (path) => {
      const [got, head] = [await caller.send("GET", path), await caller.send("HEAD", path)];
      expect(head.status).toBe(200);
      expect(head.headers.get("content-type")).toBe(got.headers.get("content-type"));
      expect([(await head.text()).length, (await got.text()).length > 0]).toEqual([0, true]);
    },
  );

  test("405 method_not_allowed: HEAD on a path that takes POST", async () => {
    expect((await caller.send("HEAD", "/v1/chat/completions")).status).toBe(405);
  });

  test.each(GENERATION_NAMES)("409 idempotency_key_reused and the replay, on %s", async (name) => {
    const headers = { "idempotency-key": `once-${name}` };
    const first = await caller.generate(name, "acme/echo", {}, headers);
    expect(first.status).toBe(200);
    expect(first.headers.has("idempotent-replayed")).toBeFalse();
    const again = await caller.generate(name, "acme/echo", {}, headers);
    expect({ status: again.status, text: again.text }).toEqual({ status: 200, text: first.text });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expectError(
      await caller.generate(name, "acme/echo", { temperature: 1 }, headers),
      "idempotency_key_reused",
      GENERATION[name].style,
    );
  });

  test("409 idempotency_in_progress, while the first still runs", async () => {
    const headers = { "idempotency-key": "running" };
    const body = { ...GENERATION.chat.body("acme/slow", "word ".repeat(400)), stream: true };
    const running = await caller.send("POST", GENERATION.chat.path, body, headers);
    expect(running.status).toBe(200);
    expectError(await caller.post(GENERATION.chat.path, body, headers), "idempotency_in_progress", "a");
    await running.body?.cancel();
  });

  test.each([
    ["empty", ""],
    ["too long", "x".repeat(256)],
  ])("an Idempotency-Key that is %s is refused", async (_what, key) => {
    const answer = await caller.generate("chat", "acme/echo", {}, { "idempotency-key": key });
    expectError(answer, "unsupported_parameter", "a");
  });

  const large = "x".repeat(BODY_LIMIT + 1);

  test.each(GENERATION_NAMES)("413 request_too_large: a body that says so, on %s", async (name) => {
    expectError(await caller.post(GENERATION[name].path, large), "request_too_large", GENERATION[name].style);
  });

  test("413 request_too_large: a body that does not say how long it is", async () => {
    async function* pieces() {
      for (let sent = 0; sent <= BODY_LIMIT; sent += 8192) yield Buffer.alloc(8192, "x");
    }
    const response = await fetch(simulated.gateway.url + GENERATION.chat.path, {
      method: "POST",
      headers: { authorization: `Bearer ${caller.key}` },
      body: new ReadableStream({
        async start(controller) {
          for await (const piece of pieces()) controller.enqueue(piece);
          controller.close();
        },
      }),
    });
    expect(response.status).toBe(413);
    expect(((await response.json()) as { error: Json }).error.code).toBe("request_too_large");
  });

  test("a body just within the limit is read", async () => {
    const { path, body } = GENERATION.chat;
    const rest = JSON.stringify(body("acme/echo", "")).length;
    const answer = await caller.post(path, body("acme/echo", "x".repeat(BODY_LIMIT - rest)));
    expect(answer.status).toBe(200);
  });

  const LARGE = `x-large: ${"x".repeat(64 * 1024)}`;

  test.each([
    ["headers_too_large", "GET /v1/models HTTP/1.1", LARGE, "a"],
    ["headers_too_large", "POST /v1/messages HTTP/1.1", LARGE, "b"],
    ["invalid_request", "GET /v1/models HTTP/2.0", "x: y", "a"],
    ["invalid_request", "POST /v1/chat/completions HTTP/1.1", "content-length: 1\r\ncontent-length: 2", "a"],
    ["invalid_request", "POST /v1/messages HTTP/1.1", "transfer-encoding: gzip", "b"],
  ] as const)("%s, and the end of the connection: %s", async (code, first_line, header, style) => {
    using connection = await RawConnection.open(simulated.gateway.url);
    connection.send(`${first_line}\r\nhost: x\r\n${header}\r\n\r\n`);
    await connection.closed;
    expectError(readAnswer(connection.received), code, style);
  });
});

/** One complete answer of a connection. */
function readAnswer(received: string): Answer {
  const [head = "", text = ""] = received.split("\r\n\r\n");
  const [status_line = "", ...lines] = head.split("\r\n");
  const headers = new Headers(lines.map((line) => line.split(": ") as [string, string]));
  const json = JSON.parse(text) as Json;
  return { status: Number(status_line.split(" ")[1]), headers, text, json, error: json.error as Json };
}

describe("the headers of every answer", () => {
  const ANSWERS: [string, () => Promise<Answer>][] = [
    ["an answer", () => caller.generate("chat", "acme/echo")],
    ["a stream", () => caller.generate("messages", "acme/echo", { stream: true })],
    ["a list", () => caller.get("/v1/models")],
    ["a refusal", () => caller.generate("responses", "acme/nothing")],
    ["an unknown path", () => caller.get("/v1/nothing")],
    ["a wrong method", () => caller.get("/v1/messages")],
    ["health", () => caller.get("/healthz")],
  ];

  test.each(ANSWERS)("%s: its ids, the gateway's where the client sent none", async (_what, ask) => {
    const { headers } = await ask();
    expect(headers.get("x-request-id")).toMatch(/^req_\w+$/);
    expect(headers.get("request-id")).toBe(headers.get("x-request-id"));
    expect(headers.get("x-camino-request-id")).toBe(headers.get("x-request-id"));
  });

  test.each([
    ["mine-1.2_3", true],
    ["x".repeat(128), true],
    ["x".repeat(129), false],
    ["a b", false],
    ["ü", false],
    ["<script>", false],
  ])("the client's own id %p is kept: %p", async (id, kept) => {
    const { headers } = await caller.generate("chat", "acme/echo", {}, { "x-request-id": id });
    expect(headers.get("x-request-id") === id).toBe(kept);
    expect(headers.get("request-id")).toBe(headers.get("x-request-id"));
    expect(headers.get("x-camino-request-id")).toMatch(/^req_\w+$/);
  });
});
