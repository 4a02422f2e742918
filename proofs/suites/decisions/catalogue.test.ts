import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { MODEL_KINDS } from "../../../src/core/catalog/catalog.ts";
import { Caller, type Json } from "../../support/calls.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { STATE } from "./support/questions.ts";

/** Decision models in the catalogue of a gateway that nobody configured. */

let gateway: Gateway;
let caller: Caller;

beforeAll(async () => {
  gateway = await startGateway();
  const key = await gateway.newKey({
    aliases: [{ name: "triage", model: "sim/judge-decider" }],
    prefix_aliases: [{ prefix: "jev-", model: "sim/decider" }],
  });
  caller = new Caller(gateway, key.key);
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
});

async function listed(query: string): Promise<Json[]> {
  const { json } = await caller.get(`/v1/models${query}`);
  return json.data as Json[];
}

const ids = (models: readonly Json[]) => models.map(({ id }) => String(id));

describe("the list of models", () => {
  test("has decision models only on request, with their kind", async () => {
    const decisions = await listed("?kind=decision");
    expect(ids(decisions)).toEqual(expect.arrayContaining(["triage", "jev-*", "sim/decider", "sim/judge-decider"]));
    expect(new Set(decisions.map(({ kind }) => kind))).toEqual(new Set(["decision"]));
    const chat = ids(await listed(""));
    expect(chat).toContain("sim/echo");
    expect(chat.filter((id) => ids(decisions).includes(id))).toEqual([]);
    const all = await listed("?kind=all");
    expect(new Set(all.map(({ kind }) => kind))).toEqual(new Set(MODEL_KINDS));
    const kinds = MODEL_KINDS.filter((kind) => kind !== "chat" && kind !== "decision");
    const others = (await Promise.all(kinds.map((kind) => listed(`?kind=${kind}`)))).flat();
    expect(all).toHaveLength(decisions.length + chat.length + others.length);
  });

  test("describes what a decision model takes", async () => {
    const { json } = await caller.get("/v1/models/sim%2Fdecider");
    expect(json).toMatchObject({
      id: "sim/decider",
      kind: "decision",
      architecture: { input_modalities: ["text", "image"] },
      capabilities: { streaming: false, tools: false, vision: true },
    });
  });
});

describe("a name of the key's own", () => {
  const questions = [{ type: "predicate", instructions: "The customer was charged twice." }];
  test.each([
    ["triage", "sim/judge-decider"],
    ["jev-latest", "sim/decider"],
  ])("%s reaches %s", async (name, model) => {
    const { status, json, headers } = await caller.post("/v1/decisions", { model: name, input: STATE, questions });
    expect([status, json.model]).toEqual([200, model]);
    const { json: receipt } = await caller.get(`/v1/requests/${headers.get("x-request-id")}`);
    expect(receipt).toMatchObject({ requested_model: name, model, endpoint: "decisions", stream: false });
  });
});

test("the samples of the API's description name a decision model of this gateway", async () => {
  const { text } = await caller.get("/openapi.json");
  expect(text).toContain("sim/decider");
});
