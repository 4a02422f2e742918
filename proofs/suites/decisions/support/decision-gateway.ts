import { type Simulator, startSimulator } from "../../../../simulator/server.ts";
import { Caller } from "../../../support/calls.ts";
import { type Gateway, startGateway, type TestKey } from "../../../support/gateway.ts";

/** A gateway with every kind of decision model, whose vendors are one simulator in the test's own process. */
export interface DecisionGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly simulator: Simulator;
  readonly key: TestKey;
  readonly caller: Caller;
}

/** How a decision comes about: by a vendor in either decision protocol, or by our engine from a chat model. */
export const WAYS = ["decisions", "systemone", "engine"] as const;
export type WayName = (typeof WAYS)[number];

/** Units per million tokens. Whole micro units per token, so that a charge is the count times ten. */
export const DECISION_PRICE = { input: 10 };
export const MICRO_PER_TOKEN = 10;
export const CHAT_PRICE = { input: 2, output: 8 };

const VENDOR_KEY = "sk-vendor-secret-0123456789";

const VENDORS = {
  decisions: { protocol: "decisions", forwards_safety_identifier: true },
  systemone: { protocol: "systemone" },
  chat: { protocol: "chat-completions" },
  several: { protocol: ["responses", "messages", "chat-completions"] },
  // A known vendor, because its row says that it constrains output to given texts.
  vllm: {},
  // A known vendor, because its row says that it takes images by their names.
  typesafe: {},
};

/** The configuration of a decision model that the engine makes from a simulated judge. */
export function judged(judge: string, decide_with: object = {}): object {
  return {
    kind: "decision",
    price: DECISION_PRICE,
    decide_with: { engine: "logprobs", model: `chat/${judge}`, ...decide_with },
  };
}

/** The configuration of a decision model that the simulator serves itself. */
export function served(upstream_model: string, more: object = {}): object {
  return { kind: "decision", price: DECISION_PRICE, upstream_model, ...more };
}

export interface DecisionGatewayOptions {
  /** Chat models beside `chat/judge`, by their short name: the simulator's name for each. */
  readonly judges?: Readonly<Record<string, string>>;
  readonly models?: Readonly<Record<string, object>>;
  /** Chat models of the vendor `odd`, whose vendor is the test's own. */
  readonly odd?: { readonly base_url: string; readonly models: readonly string[] };
  /** Fields of every vendor's entry. */
  readonly vendor?: Readonly<Record<string, unknown>>;
  readonly limits?: Readonly<Record<string, unknown>>;
  /** What decision requests may have (docs/api.md 4.6); without it the specification's. */
  readonly surface?: "vendor";
  /** Files beside the configuration, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Starts a gateway with `decisions/decider`, `systemone/decider`, `chat/engine` and the models of the options. */
export async function startDecisionGateway(options: DecisionGatewayOptions = {}): Promise<DecisionGateway> {
  const simulator = await startSimulator({ api_key: VENDOR_KEY });
  const shared = { base_url: simulator.base_url, api_key: VENDOR_KEY, ...options.vendor };
  const vendors = Object.entries(VENDORS).map(([id, entry]) => [id, { ...shared, ...entry }]);
  const judges = Object.entries({ judge: "judge", ...options.judges }).map(([name, upstream_model]) => [
    `chat/${name}`,
    { price: CHAT_PRICE, input_modalities: ["text", "image"], upstream_model },
  ]);
  const { odd } = options;
  const config = {
    catalog: "none",
    vendors: {
      ...Object.fromEntries(vendors),
      away: { protocol: "decisions", base_url: "http://127.0.0.1:1/v1" },
      ...(odd && { odd: { protocol: "chat-completions", base_url: odd.base_url } }),
    },
    models: {
      ...Object.fromEntries(judges),
      ...Object.fromEntries((odd?.models ?? []).map((name) => [`odd/${name}`, { price: CHAT_PRICE }])),
      "decisions/decider": served("decider"),
      "systemone/decider": served("decider"),
      "chat/engine": judged("judge"),
      ...options.models,
    },
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(options.surface && { decisions: { surface: options.surface } }),
  };
  // JSON is YAML.
  const gateway = await startGateway({
    config: JSON.stringify(config, null, 2),
    ...(options.files && { files: options.files }),
  });
  const key = await gateway.newKey();
  return {
    gateway,
    simulator,
    key,
    caller: new Caller(gateway, key.key),
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await simulator.stop();
    },
  };
}

/** A thousand tokens, or 250 as a share of its bytes. */
const MANY_TOKENS = "7 ".repeat(500);

/**
 * Resolves when the gateway counts tokens exactly. The thread that counts starts with the first count, and on a busy machine what is counted before it
 * has loaded its tables is a share of the bytes. For suites that compare a bill with the tokenizer's own count.
 */
export async function untilCounting({ caller }: DecisionGateway): Promise<void> {
  for (;;) {
    const messages = [{ role: "user", content: MANY_TOKENS }];
    const { status, json, text } = await caller.post("/v1/messages/count_tokens", { model: "chat/judge", messages });
    if (status !== 200) throw new Error(text);
    if (Number(json.input_tokens) > MANY_TOKENS.length / 3) return;
  }
}

/** The decision model that a way leads to. */
export const MODEL_OF: Readonly<Record<WayName, string>> = {
  decisions: "decisions/decider",
  systemone: "systemone/decider",
  engine: "chat/engine",
};
