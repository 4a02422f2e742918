import { expect, test } from "bun:test";
import type { ClientRequest } from "../../core/answer/exchange.ts";
import type { BilledEndpoint } from "../../core/endpoints.ts";
import { type AskingCall, KnownAskings } from "./known-askings.ts";

/** Requests whose letters are known. */

const TEXT = '{"model":"acme/echo"}';

function call(differs: Partial<Record<"account" | "endpoint" | "version" | "beta" | "text", string>> = {}): AskingCall {
  const sent = new Map([
    ["anthropic-version", differs.version ?? ""],
    ["anthropic-beta", differs.beta ?? ""],
  ]);
  return {
    endpoint: (differs.endpoint ?? "chat.completions") as BilledEndpoint,
    headers: { get: (name) => sent.get(name) || null },
    key: { account_id: differs.account ?? "acc_one" },
    text: differs.text ?? TEXT,
  };
}

test.each([
  [{ account: "acc_two" }],
  [{ endpoint: "completions" }],
  [{ version: "2023-06-01" }],
  [{ beta: "2023-06-01" }],
  [{ text: `${TEXT} ` }],
])("a call that differs in %j has another name", (differs) => {
  const known = new KnownAskings();
  expect(known.nameOf(call())).toBe(known.nameOf(call()));
  expect(known.nameOf(call(differs))).not.toBe(known.nameOf(call()));
});

test("long letters are not kept, and of others no more than 256", () => {
  const known = new KnownAskings();
  expect(known.nameOf(call({ text: "x".repeat(8193) }))).toBeNull();
  const request = { text: TEXT } as ClientRequest;
  const asking = { request, model: "acme/echo", shows_cost: true, place: { account_id: "acc_one", key: "k" } };
  for (let at = 0; at < 256; at += 1) known.keep(`${at}`, asking);
  expect(known.find("0")).toBe(asking);
  known.keep("256", asking);
  expect([known.find("0"), known.find("256")]).toEqual([null, asking]);
});
