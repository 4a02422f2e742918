import { configurationFor, type ModelOptions } from "../../suites/failures/support/scene.ts";
import { PRICE } from "../../torture/models.ts";

/**
 * The models of the fuzzer's gateway. Each case of a batch has a slot, and each vendor a model for each slot, `VENDOR/m<slot>`: what
 * is asked of a model and charged for it belongs to one case.
 */
export const SLOTS = 128;

/** Generation vendors by their protocol. All but `sim` are the wild vendor. */
export const CHAT_VENDORS = ["chat", "responses", "messages", "gemini", "bedrock", "sim"] as const;
export const DECISION_VENDORS = ["decisions", "systemone", "simdecides", "judged", "wildlyjudged"] as const;

export type ChatVendor = (typeof CHAT_VENDORS)[number];
export type DecisionVendor = (typeof DECISION_VENDORS)[number];

/** The protocol that a vendor speaks, as clients name it; null for the simulator, which speaks all. */
export const PROTOCOL_OF: Readonly<Record<ChatVendor, string | null>> = {
  chat: "chat-completions",
  responses: "responses",
  messages: "messages",
  gemini: "gemini",
  bedrock: "bedrock-converse",
  sim: null,
};

const SIMULATED = [
  "echo",
  "tools",
  "reason",
  "everything",
  "unicode",
  "long@tokens=40",
  "json",
  "stop",
  "filter",
  "refuse",
  "cached",
  "vision",
  "no-usage",
  "crlf",
  "chunks-7",
];

/** The simulator's name of a slot's model: names differ between slots, so that its log tells whose request it was. */
function simulatedAt(slot: number): string {
  const name = SIMULATED[slot % SIMULATED.length] as string;
  return `${name}${name.includes("@") ? "&" : "@"}slot=${slot}`;
}

/** The slot in an upstream model's name of the simulator or in a model's id; null where there is none. */
export function slotIn(name: string): number | null {
  const found = /(?:slot=|\/m)(\d+)$/.exec(name);
  return found === null ? null : Number(found[1]);
}

const TIMEOUTS = { connect: "2s", first_byte: "1500ms", idle: "700ms", total: "4s" };
const CAPABILITIES = { tools: true, json: true, vision: true };
const REASONS = {
  ...CAPABILITIES,
  reasoning: { toggle: true, effort: ["low", "medium", "high"], budget_tokens: { min: 1024, max: 32000 } },
};
/** Every so many slots a model has a fallback of another protocol. */
const FALLBACK_EVERY = 7;

/** The vendors that may answer in place of a vendor's model. */
export function fallbacksOf(vendor: string, slot: number): readonly string[] {
  return vendor === "chat" && slot % FALLBACK_EVERY === 0 ? ["messages"] : [];
}

/** The gateway's configuration file. */
export function fuzzConfiguration(wild_url: string, simulator_url: string): string {
  const models: Record<string, ModelOptions> = {};
  const price = Object.fromEntries(Object.entries(PRICE).map(([name, value]) => [name, String(value)]));
  const input_only = { input: String(PRICE.input) };
  for (let slot = 0; slot < SLOTS; slot += 1) {
    const common = {
      price,
      context_length: 100_000,
      max_completion_tokens: 4096,
      input_modalities: ["text", "image"],
      capabilities: slot % 3 === 0 ? REASONS : { ...CAPABILITIES, thinking: false },
    };
    for (const vendor of CHAT_VENDORS) {
      const upstream_model = vendor === "sim" ? simulatedAt(slot) : `m${slot}`;
      const fallbacks = fallbacksOf(vendor, slot);
      const more = fallbacks.length === 0 ? {} : { fallbacks: fallbacks.map((other) => `${other}/m${slot}`) };
      models[`${vendor}/m${slot}`] = { ...common, upstream_model, ...more };
    }
    const decides = {
      kind: "decision",
      price: input_only,
      context_length: 100_000,
      input_modalities: ["text", "image"],
    };
    for (const vendor of ["decisions", "systemone"])
      models[`${vendor}/m${slot}`] = { ...decides, upstream_model: `m${slot}` };
    models[`simdecides/m${slot}`] = { ...decides, upstream_model: `decider@slot=${slot}` };
    models[`simjudge/m${slot}`] = { ...common, upstream_model: `judge@slot=${slot}` };
    models[`judged/m${slot}`] = {
      ...decides,
      decide_with: { engine: "logprobs", model: `simjudge/m${slot}`, debias: slot % 2 === 0 ? "all" : "none" },
    };
    models[`wildlyjudged/m${slot}`] = {
      ...decides,
      decide_with: { engine: "logprobs", model: `chat/m${slot}`, debias: "none" },
    };
  }
  const wild = (path: string, protocol: string): ModelOptions => ({
    timeouts: TIMEOUTS,
    base_url: wild_url + path,
    protocol,
  });
  const simulated = { timeouts: TIMEOUTS, base_url: simulator_url };
  return configurationFor(simulator_url, {
    models,
    vendors: {
      chat: wild("/v1", "chat-completions"),
      responses: { ...wild("/v1", "responses"), on_disconnect: "drain" },
      messages: wild("/v1", "messages"),
      gemini: wild("/v1beta", "gemini"),
      bedrock: {
        ...wild("", "bedrock-converse"),
        api_key: undefined,
        aws: { access_key_id: "AKIDEXAMPLE", secret_access_key: "secret", region: "eu-north-1" },
      },
      decisions: wild("/v1", "decisions"),
      systemone: wild("/v1", "systemone"),
      sim: { ...simulated, protocol: ["chat-completions", "responses", "messages"] },
      simjudge: { ...simulated, protocol: ["chat-completions"] },
      simdecides: { ...simulated, protocol: ["decisions", "systemone"] },
      judged: { ...simulated, protocol: ["chat-completions"] },
      wildlyjudged: { ...simulated, protocol: ["chat-completions"] },
    },
    limits: { body: "1MiB" },
  });
}
