import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Errors } from "typebox/schema";
import { isObject, type JsonObject, type JsonValue } from "../../../src/core/json.ts";
import { buildOpenApi } from "../../../src/http/openapi/build-openapi.ts";
import { memberObjects, objectOf, textOf } from "../../../src/http/openapi/page/read-json.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { DIALECT } from "../../support/openapi.ts";

/** The OpenAPI document describes a running gateway: its examples are accepted, and answers agree with its schemas. */

const document = buildOpenApi({ version: "0" });
const components = objectOf(document.components);

let gateway: Gateway;
let key: TestKey;

beforeAll(async () => {
  gateway = await startGateway();
  key = await gateway.newKey({ aliases: [{ name: "fast", model: "sim/echo" }] });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
});

function expectAgrees(schema: JsonValue | undefined, value: unknown): void {
  expect(Errors({ ...objectOf(schema), components, $schema: DIALECT }, value)).toEqual([true, []]);
}

function operation(path: string, method: string): JsonObject {
  return objectOf(objectOf(objectOf(document.paths)[path])[method]);
}

function contentOf(holder: JsonValue | undefined, type: string): JsonObject {
  return objectOf(objectOf(objectOf(holder).content)[type]);
}

/** Models of the simulator that can do what the examples ask for. */
const MODELS: Readonly<Record<string, string>> = {
  image: "sim/vision",
  tools: "sim/tools",
  items: "sim/everything",
  reasoning: "sim/reason",
  thinking: "sim/reason",
};

interface Case {
  readonly path: string;
  readonly name: string;
  readonly body: JsonObject;
}

const generation = ["/v1/chat/completions", "/v1/responses", "/v1/messages", "/v1/messages/count_tokens"];
const cases: Case[] = generation.flatMap((path) =>
  memberObjects(contentOf(operation(path, "post").requestBody, "application/json").examples).map(
    ([name, { value }]) => ({ path, name, body: { ...objectOf(value), model: MODELS[name] ?? "sim/echo" } }),
  ),
);

function post(path: string, body: JsonValue, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(gateway.url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key.key}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

function get(
  path: string,
  headers: Record<string, string> = { authorization: `Bearer ${key.key}` },
): Promise<Response> {
  return fetch(gateway.url + path, { headers });
}

describe("requests as the document shows them", () => {
  test.each(cases)("$path: $name is answered as the schema says", async ({ path, body }) => {
    const streamed = body.stream === true;
    const response = await post(path, body);
    expect(response.status).toBe(200);
    const content = contentOf(
      objectOf(operation(path, "post").responses)["200"],
      streamed ? "text/event-stream" : "application/json",
    );
    if (!streamed) return expectAgrees(content.schema, await response.json());
    const data = (await response.text()).match(/^data: .*$/gm) ?? [];
    expect(data.length).toBeGreaterThan(3);
    for (const line of data.filter((each) => each !== "data: [DONE]"))
      expectAgrees(content["x-camino-event"], JSON.parse(line.slice("data: ".length)));
  });

  const streamable = cases.filter(({ path, body }) => !path.endsWith("count_tokens") && body.stream !== true);
  test.each(streamable)("$path: $name, streamed, has events as the schema says", async ({ path, body }) => {
    const response = await post(path, { ...body, stream: true });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const content = contentOf(objectOf(operation(path, "post").responses)["200"], "text/event-stream");
    const data = (await response.text()).match(/^data: .*$/gm) ?? [];
    expect(data.length).toBeGreaterThan(3);
    for (const line of data.filter((each) => each !== "data: [DONE]"))
      expectAgrees(content["x-camino-event"], JSON.parse(line.slice("data: ".length)));
  });
});

describe("decisions as the document shows them", () => {
  const shown = ["/v1/decisions", "/v1/systemone"].flatMap((path) =>
    memberObjects(contentOf(operation(path, "post").requestBody, "application/json").examples).flatMap(
      ([name, { value }]) =>
        ["sim/decider", "sim/judge-decider"].map((model) => ({
          path,
          name,
          model,
          body: { ...objectOf(value), model },
        })),
    ),
  );
  test.each(shown)("$path: $name is answered by $model as the schema says", async ({ path, body }) => {
    const response = await post(path, body);
    expect(response.status).toBe(200);
    const content = contentOf(objectOf(operation(path, "post").responses)["200"], "application/json");
    expectAgrees(content.schema, await response.json());
  });
});

describe("reading endpoints", () => {
  test.each(["/v1/models", "/v1/models?kind=all", "/v1/usage", "/v1/credits", "/v1/key"])(
    "%s answers as its schema says",
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(200);
      const schema = contentOf(
        objectOf(operation(path.split("?")[0] ?? "", "get").responses)["200"],
        "application/json",
      ).schema;
      expectAgrees(schema, await response.json());
    },
  );

  test.each(["sim%2Fecho", "sim/echo", "fast"])("/v1/models/%s answers as its schema says", async (name) => {
    const response = await get(`/v1/models/${name}`);
    const schema = contentOf(
      objectOf(operation("/v1/models/{model}", "get").responses)["200"],
      "application/json",
    ).schema;
    expectAgrees(schema, await response.json());
  });

  test("a receipt is what its schema says", async () => {
    const answered = await post("/v1/chat/completions", { model: "fast", messages: [{ role: "user", content: "hi" }] });
    await answered.arrayBuffer();
    const response = await get(`/v1/requests/${answered.headers.get("x-camino-request-id")}`);
    const schema = contentOf(
      objectOf(operation("/v1/requests/{request_id}", "get").responses)["200"],
      "application/json",
    ).schema;
    const receipt = await response.json();
    expectAgrees(schema, receipt);
    expect(receipt).toMatchObject({ status: "settled", requested_model: "fast", model: "sim/echo" });
    const generation = contentOf(
      objectOf(operation("/v1/generation", "get").responses)["200"],
      "application/json",
    ).schema;
    const path = `/v1/generation?id=${answered.headers.get("x-camino-request-id")}`;
    expectAgrees(generation, await (await get(path)).json());
  });

  test.each(["/healthz", "/readyz", "/openapi.json", "/docs", "/metrics"])("%s needs no key", async (path) => {
    const response = await get(path, {});
    expect(response.status).toBe(200);
    const types = Object.keys(objectOf(objectOf(objectOf(operation(path, "get").responses)["200"]).content));
    expect(types).toEqual([(response.headers.get("content-type") ?? "").split(";")[0] ?? ""]);
    await response.arrayBuffer();
  });

  test("the gateway serves this document, with its own version", async () => {
    const served: unknown = await (await get("/openapi.json", {})).json();
    expect(isObject(served) && Object.keys(objectOf(served.paths as JsonValue))).toEqual(
      Object.keys(objectOf(document.paths)),
    );
  });
});

describe("errors as the document shows them", () => {
  interface Refused {
    readonly name: string;
    readonly method: "get" | "post";
    readonly path: string;
    readonly template?: string;
    readonly headers?: Record<string, string>;
    readonly body?: JsonValue;
    readonly status: number;
  }
  const messages = [{ role: "user", content: "hi" }];
  const refused: Refused[] = [
    {
      name: "no key",
      method: "post",
      path: "/v1/chat/completions",
      headers: { authorization: "" },
      body: {},
      status: 401,
    },
    {
      name: "a bad message",
      method: "post",
      path: "/v1/chat/completions",
      body: { model: "fast", messages: [] },
      status: 400,
    },
    {
      name: "no such model",
      method: "post",
      path: "/v1/responses",
      body: { model: "no/such", input: "hi" },
      status: 404,
    },
    { name: "no cap", method: "post", path: "/v1/messages", body: { model: "fast", messages }, status: 400 },
    {
      name: "the vendor fails",
      method: "post",
      path: "/v1/chat/completions",
      body: { model: "sim/fail-500", messages },
      status: 502,
    },
    {
      name: "the vendor limits",
      method: "post",
      path: "/v1/messages",
      body: { model: "sim/fail-429", messages, max_tokens: 9 },
      status: 429,
    },
    { name: "no such model", method: "get", path: "/v1/models/nope", template: "/v1/models/{model}", status: 404 },
    {
      name: "no such model, style B",
      method: "get",
      path: "/v1/models/nope",
      template: "/v1/models/{model}",
      headers: { "x-api-key": "KEY" },
      status: 404,
    },
    {
      name: "no such receipt",
      method: "get",
      path: "/v1/requests/nope",
      template: "/v1/requests/{request_id}",
      status: 404,
    },
    { name: "a kind that is none", method: "get", path: "/v1/models?kind=odd", template: "/v1/models", status: 400 },
  ];

  test.each(refused)(
    "$method $path: $name",
    async ({ method, path, template = path, headers = {}, body = null, status }) => {
      const own = headers["x-api-key"] === undefined ? headers : { "x-api-key": key.key };
      const response =
        method === "get"
          ? await get(path, { authorization: `Bearer ${key.key}`, ...own })
          : await post(path, body, own);
      expect(response.status).toBe(status);
      const documented = objectOf(objectOf(operation(template, method).responses)[String(status)]);
      const answer: unknown = await response.json();
      expectAgrees(contentOf(documented, "application/json").schema, answer);
      const told = isObject(answer) && isObject(answer.error) ? answer.error : {};
      const rows = documented["x-camino-errors"];
      const codes = Array.isArray(rows) ? rows.map((row) => textOf(objectOf(row).code)) : [];
      if ("code" in told) expect(codes).toContain(String(told.code));
      expect(response.headers.get("x-request-id")).toMatch(/^req_/);
    },
  );
});
