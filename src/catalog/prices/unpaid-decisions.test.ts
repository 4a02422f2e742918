import { expect, test } from "bun:test";
import { loadConfiguration } from "../configuration/load-configuration.ts";
import { unpaidDecisions } from "./unpaid-decisions.ts";

const unpaid = (price: string, chat_price: string, limits = "{}") =>
  unpaidDecisions(
    loadConfiguration({
      file_name: "camino.yaml",
      file_text: `
catalog: none
limits: ${limits}
vendors: { acme: { protocol: chat-completions, base_url: "http://127.0.0.1:1/v1" } }
models:
  acme/chat: { price: { input: ${chat_price}, output: 1 } }
  acme/judge: { kind: decision, decide_with: { engine: logprobs, model: acme/chat }, price: ${price} }
`,
      env: {},
    }),
    0,
  ).map(({ from_calls }) => from_calls);

test.each([
  ["{ input: 0.50 }", "0.10", "{}", [6]],
  ["{ input: 0.50 }", "0.10", "{ decision_calls: 5 }", []],
  ["{ input: 0.50 }", "0", "{}", []],
  ["{ input: 0.05 }", "0.10", "{}", [1]],
  ["{ input: 0.10, per: call }", "0.10", "{}", []],
  ["{ input: 0.05, per: call }", "0.10", "{}", [1]],
])(
  "a decision at %s of a chat model at %s within %s costs more than it earns from %j calls on",
  (price, chat, limits, calls) => {
    expect(unpaid(price, chat, limits)).toEqual(calls);
  },
);
