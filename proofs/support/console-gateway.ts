import { type Simulator, startSimulator } from "../../simulator/server.ts";
import { type Gateway, startGateway } from "./gateway.ts";
import { VENDOR_KEY } from "./simulated-gateway.ts";

/**
 * A gateway whose models have the names and prices that people know, for the pages of the console and their pictures. The
 * simulator answers in the place of every vendor.
 */
export interface ConsoleGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly simulator: Simulator;
}

const VENDORS = {
  anthropic: ["messages"],
  openai: ["chat-completions", "responses"],
  google: ["chat-completions"],
  typesafe: ["decisions"],
};

const price = (input: number, output: number) => ({
  price: { input, output, cache_read: input / 10, cache_write: input * 1.25 },
  capabilities: { thinking: false },
});

const MODELS: Readonly<Record<string, object>> = {
  "anthropic/claude-opus-4-6": { ...price(5, 25), upstream_model: "cached", context_length: 1_000_000 },
  "anthropic/claude-sonnet-4-6": { ...price(3, 15), upstream_model: "echo", context_length: 1_000_000 },
  "anthropic/claude-haiku-4-5": { ...price(1, 5), upstream_model: "echo", context_length: 200_000 },
  "openai/gpt-5.4": { ...price(2.5, 15), upstream_model: "reason", context_length: 400_000 },
  "openai/gpt-5.4-mini": { ...price(0.75, 4.5), upstream_model: "echo", context_length: 400_000 },
  "openai/gpt-5.4-flaky": { ...price(0.75, 4.5), upstream_model: "fail-first@n=1&status=503" },
  "openai/gpt-5.4-down": { ...price(0.75, 4.5), upstream_model: "fail-400" },
  "openai/gpt-5.4-busy": { ...price(2.5, 15), upstream_model: "fail-first@usage=cached&ms=20" },
  "google/gemini-3-flash": { ...price(0.5, 3), upstream_model: "echo", context_length: 1_000_000 },
  "google/gemini-3-slow": { ...price(0.5, 3), upstream_model: "slow@ms=250" },
  "openai/gpt-5.4-judge": { ...price(0.75, 4.5), upstream_model: "judge" },
  "openai/triage": { price: { input: 0.4 }, decide_with: { engine: "logprobs", model: "openai/gpt-5.4-judge" } },
  "typesafe/decider": { ...price(0.4, 0), kind: "decision", upstream_model: "decider" },
};

export async function startConsoleGateway(): Promise<ConsoleGateway> {
  const simulator = await startSimulator({ api_key: VENDOR_KEY });
  const shared = { base_url: simulator.base_url, api_key: VENDOR_KEY };
  const config = {
    catalog: "none",
    vendors: Object.fromEntries(Object.entries(VENDORS).map(([id, protocol]) => [id, { ...shared, protocol }])),
    models: MODELS,
  };
  // JSON is YAML.
  const gateway = await startGateway({ config: JSON.stringify(config, null, 2) });
  return {
    gateway,
    simulator,
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await simulator.stop();
    },
  };
}
