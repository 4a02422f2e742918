import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { UsageReport } from "../../../contract/usage.ts";
import type { RequestRecord } from "../../../simulator/request-log.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { PROTOCOLS, type Protocol } from "../../../src/core/endpoints.ts";
import { Caller, GENERATION_NAMES } from "../../support/calls.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { PRICE } from "../../support/simulated-gateway.ts";
import { judged, served } from "../decisions/support/decision-gateway.ts";
import { SHAPE_NAMES, SHAPES } from "../decisions/support/questions.ts";

/** A request's tags in its header are counted on every billed endpoint, and stay here: no vendor of any protocol is told of them (docs/design/tags-and-projects.md). */

setDefaultTimeout(60_000);

/** Found wherever it stands in what a vendor is sent: in a header's name or value, in the path, in the body. */
const SECRET = "kostenstelle-4711";
const HEADERS = { "x-camino-tags": `team=${SECRET}` };
const AWS = { access_key_id: "AKIDEXAMPLE", secret_access_key: "secret+/=", region: "eu-north-1" };

let simulators: readonly Simulator[];
let gateway: Gateway;

beforeAll(async () => {
  const [plain, signed] = [await startSimulator({ api_key: "sk-vendor" }), await startSimulator({ aws: AWS })];
  simulators = [plain, signed];
  const shared = { base_url: plain.base_url, api_key: "sk-vendor" };
  const vendors = {
    ...Object.fromEntries(PROTOCOLS.map((protocol) => [protocol, { ...shared, protocol }])),
    gemini: { ...shared, protocol: "gemini", base_url: `${plain.url}/v1beta` },
    "bedrock-converse": { protocol: "bedrock-converse", base_url: signed.url, aws: AWS },
  };
  const chat = Object.fromEntries(
    GENERATING.map((protocol) => [
      `${protocol}/echo`,
      { price: PRICE, upstream_model: protocol === "bedrock-converse" ? "anthropic.echo" : "echo" },
    ]),
  );
  const models = {
    ...chat,
    // The second route answers: a repeated request is not to be told more than the first.
    "chat-completions/falls": { price: PRICE, upstream_model: "fail-503", fallbacks: ["messages/echo"] },
    "chat/judge": { price: PRICE, routes: [{ vendor: "chat-completions", upstream_model: "judge" }] },
    "decisions/decider": served("decider"),
    "systemone/decider": served("decider"),
    "chat/engine": judged("judge"),
  };
  gateway = await startGateway({ config: JSON.stringify({ catalog: "none", vendors, models }) });
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  for (const each of simulators ?? []) await each.stop();
});

/** Protocols of other kinds of models: a ranking, too, is asked for by its own endpoint. */
const OTHERS = ["decisions", "systemone", "rerank"] as const satisfies readonly Protocol[];
const GENERATING = PROTOCOLS.filter((protocol) => !OTHERS.some((each) => each === protocol));

/** What vendors were sent that has a tag in it, since the last time. */
function told(): readonly RequestRecord[] {
  const seen = simulators.flatMap(({ log }) => log.requests);
  return seen.filter(({ headers, path, text }) =>
    /x-camino-tags|kostenstelle/i.test(JSON.stringify([headers, path, text])),
  );
}

/** The protocols by which vendors were asked since the last time. Fails where a vendor was told of a tag. */
function asked(): Set<Protocol | null> {
  expect(told().map(({ protocol, headers }) => ({ protocol, headers }))).toEqual([]);
  const protocols = simulators.flatMap(({ log }) => log.requests.map(({ protocol }) => protocol));
  for (const { log } of simulators) log.clear();
  return new Set(protocols);
}

async function counted(account: string): Promise<Record<string, number>> {
  const query = new URLSearchParams({ account, by: "tag", tag: "team" });
  const report = await gateway.admin<UsageReport>("GET", `/usage?${query}`);
  return Object.fromEntries(report.data.map(({ group, request_count }) => [group, request_count]));
}

describe.each(GENERATING)("vendors that speak %s", (protocol) => {
  test.each(GENERATION_NAMES)("are not told the tags of %s, whole, streamed or large", async (name) => {
    const key = await gateway.newKey();
    const caller = new Caller(gateway, key.key);
    const large = "x ".repeat(300_000);
    const content = name === "responses" ? { input: large } : { messages: [{ role: "user", content: large }] };
    for (const more of [{}, { stream: true }, content]) {
      const answer = await caller.generate(name, `${protocol}/echo`, more, HEADERS);
      expect([answer.status, answer.status === 200 ? "" : answer.text]).toEqual([200, ""]);
    }
    expect(asked()).toEqual(new Set([protocol]));
    expect(await counted(key.account)).toEqual({ [SECRET]: 3 });
  });
});

describe.each(SHAPE_NAMES)("decisions asked for by %s", (shape) => {
  test.each([
    ["a vendor of decisions", "decisions/decider", "decisions"],
    ["a vendor of System One", "systemone/decider", "systemone"],
    ["a chat model", "chat/engine", "chat-completions"],
  ] as const)("are counted under their tags where %s makes them, which is told none", async (_, model, protocol) => {
    const key = await gateway.newKey({ tags: { team: "brand" } });
    const caller = new Caller(gateway, key.key);
    const { path, body } = SHAPES[shape];
    const tagged = await caller.post(path, body(model), HEADERS);
    expect([tagged.status, tagged.status === 200 ? "" : tagged.text]).toEqual([200, ""]);
    expect((await caller.post(path, body(model))).status).toBe(200);
    expect(asked()).toEqual(new Set([protocol]));
    expect(await counted(key.account)).toEqual({ [SECRET]: 1, brand: 1 });
    const receipt = await caller.get(`/v1/requests/${tagged.headers.get("x-camino-request-id")}`);
    expect(receipt.json.tags).toEqual({ team: SECRET });
  });

  test("are refused in their own style where a tag is none", async () => {
    const key = await gateway.newKey();
    const { path, body } = SHAPES[shape];
    const answer = await new Caller(gateway, key.key).post(path, body("decisions/decider"), {
      "x-camino-tags": "Team",
    });
    expect([answer.status, answer.error.code]).toEqual([400, "invalid_input"]);
    expect(answer.text).toContain("allowed: NAME=VALUE");
    expect(asked()).toEqual(new Set());
  });
});

test("a vendor that is asked in the place of another is not told the tags either", async () => {
  const key = await gateway.newKey();
  const answer = await new Caller(gateway, key.key).generate("chat", "chat-completions/falls", {}, HEADERS);
  expect(answer.status).toBe(200);
  expect(asked()).toEqual(new Set<Protocol>(["chat-completions", "messages"]));
  expect(await counted(key.account)).toEqual({ [SECRET]: 1 });
});

test("metadata goes to the vendor as it came, with its tags in it", async () => {
  const key = await gateway.newKey();
  const metadata = { "camino.team": SECRET };
  const answer = await new Caller(gateway, key.key).generate("responses", "responses/echo", { metadata });
  expect(answer.status).toBe(200);
  expect(told().map(({ body }) => (body as { metadata: unknown }).metadata)).toEqual([metadata]);
  expect(await counted(key.account)).toEqual({ [SECRET]: 1 });
  for (const { log } of simulators) log.clear();
});
