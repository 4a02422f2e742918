import { mediaModels } from "./media-models.ts";
import { PROTOCOLS, type VendorProtocol } from "./protocols.ts";
import { STRICT_VENDORS } from "./strict-vendors.ts";

/** A kind of model, which clients address as `VENDOR/KIND`. */
export interface ModelKind {
  /** The simulator's name for the model, with parameters: `agent@ms=50`. */
  readonly upstream: string;
  /** The model's entry in the gateway's catalogue. */
  readonly entry?: object;
}

const THINKS = {
  capabilities: {
    thinking: true,
    reasoning: {
      toggle: true,
      effort: ["minimal", "low", "medium", "high", "xhigh"],
      budget_tokens: { min: 1024, max: 32_000 },
    },
  },
  max_completion_tokens: 64_000,
};
/** Models do not reason unless their entry says so (docs/rulings.md 170). */
const PLAIN = { capabilities: { thinking: false } };
const SEES = { input_modalities: ["text", "image", "pdf"] };
const AGENT = { ...THINKS, ...SEES };

const { reasoning } = THINKS.capabilities;
const WITH_MAX = { ...reasoning, effort: [...reasoning.effort, "max"] };

/** The kinds of models that every client can use, at each vendor: `gemini/agent`. */
export const KINDS: Readonly<Record<string, ModelKind>> = {
  echo: { upstream: "echo" },
  /**
   * Acts as an agent's model by the script in the conversation (simulator/agent/script.ts); thinks, and sees pictures.
   */
  agent: { upstream: "agent", entry: AGENT },
  /** Takes the effort `max`, too, as the newest models of OpenAI and Anthropic do. */
  "agent-max": {
    upstream: "agent",
    entry: { ...AGENT, capabilities: { ...THINKS.capabilities, reasoning: WITH_MAX } },
  },
  /** Writes a long text before each step, so that its conversations grow until they are compacted. */
  "agent-wordy": { upstream: "agent@talk=12000", entry: AGENT },
  /** Writes a word each 300 ms, which leaves time to interrupt it, and does not think. */
  "agent-slow": { upstream: "agent@ms=300", entry: SEES },
  /** Goes on to its end when it is interrupted, so that it may not take long. */
  "agent-slow-thinking": { upstream: "agent@ms=50", entry: AGENT },
  /** Fails so often at first that failures reach the client past the gateway's retries, and then works. */
  "agent-429": { upstream: "agent@fault=fail-first&status=429&n=4&retry_after=1", entry: AGENT },
  "agent-503": { upstream: "agent@fault=fail-first&status=503&n=4", entry: AGENT },
  "agent-529": { upstream: "agent@fault=fail-first&status=529&n=4", entry: AGENT },
  tools: { upstream: "tools" },
  /** Calls tools until a result says `done`. */
  "tools-until-done": { upstream: "tools@until=done" },
  /** Thinks where it is asked to, and calls tools until a result says `done`. */
  reason: { upstream: "reason@until=done", entry: THINKS },
  everything: { upstream: "everything@until=done", entry: { ...THINKS, ...SEES } },
  vision: { upstream: "vision", entry: SEES },
  json: { upstream: "json" },
  long: { upstream: "long" },
  slow: { upstream: "slow" },
  "fail-400": { upstream: "fail-400" },
  "fail-429": { upstream: "fail-429" },
  "fail-503": { upstream: "fail-503" },
};

/** The protocols of vendors that only make decisions. */
const DECIDING = ["decisions", "systemone"] as const;

/**
 * The decision models that each deployment has beside the kinds: `decisions/decider` and `systemone/decider` of vendors
 * that make decisions, and `engine/decider`, which the gateway makes of a chat model's log-probabilities.
 */
function decisionModels(): [string, object][] {
  const common = { kind: "decision", price: { input: 1 }, input_modalities: ["text", "image"] };
  const decided = DECIDING.flatMap((protocol) =>
    ["decider", "decider-429"].map((upstream): [string, object] => [
      `${protocol}/${upstream}`,
      { ...common, upstream_model: upstream },
    ]),
  );
  const judge = (upstream: string): object => ({ ...PLAIN, price: PRICE, upstream_model: upstream, ...SEES });
  const decide_with = (model: string): object => ({
    decide_with: { engine: "logprobs", model: `chat-completions/${model}` },
  });
  return [
    ...decided,
    ...["judge", "judge@fault=fail-429"].map((upstream, at): [string, object] => [
      `chat-completions/judge-${at}`,
      judge(upstream),
    ]),
    ["engine/decider", { ...common, ...decide_with("judge-0") }],
    ["engine/decider-429", { ...common, ...decide_with("judge-1") }],
  ];
}

/** The price of every model, in units per million tokens. */
const PRICE = { input: 1, output: 4, cache_read: 0.1, cache_write: 1.25, calls: { web_search: 10 } };

/**
 * Vendor ids and their protocols. An id is the protocol's name, except where LiteLLM gives names with that beginning
 * (`responses/`) a meaning of its own.
 */
const VENDORS: readonly (readonly [string, VendorProtocol])[] = [
  ...PROTOCOLS.map((protocol) => [protocol, protocol] as const),
  ["of-responses", "responses"],
];

/** The gateway's configuration: a vendor for each protocol, all at one simulator, and their models. */
export function configuration(
  simulator: { readonly url: string; readonly base_url: string },
  kinds: Readonly<Record<string, ModelKind>>,
): object {
  const vendor = (protocol: string, base_url: string): object => ({ protocol, base_url, api_key: "simulated" });
  const models = VENDORS.flatMap(([id, protocol]) =>
    Object.entries(kinds).map(([kind, { upstream, entry }]) => [
      `${id}/${kind}`,
      { ...PLAIN, price: PRICE, upstream_model: upstreamModel(protocol, upstream), ...entry },
    ]),
  );
  const strict = STRICT_VENDORS.map(({ id, replay }) => [
    `${id}/agent`,
    { price: PRICE, upstream_model: `agent@replay=${replay}`, ...AGENT },
  ]);
  return {
    catalog: "none",
    messages: { documents: "allow" },
    limits: { default_key: { rpm: 1_000_000, concurrent: 256 } },
    vendors: Object.fromEntries([
      ...VENDORS.map(([id, protocol]) => [id, vendor(protocol, baseUrl(simulator, protocol))]),
      ...STRICT_VENDORS.map(({ id, protocol }) => [id, vendor(protocol, baseUrl(simulator, protocol))]),
      ...DECIDING.map((protocol) => [protocol, vendor(protocol, simulator.base_url)]),
      ["ranking", { ...vendor("rerank", `${simulator.url}/v2`), dialect: "cohere" }],
    ]),
    models: Object.fromEntries([...models, ...strict, ...decisionModels(), ...mediaModels()]),
  };
}

function baseUrl({ url, base_url }: { url: string; base_url: string }, protocol: VendorProtocol): string {
  if (protocol === "gemini") return `${url}/v1beta`;
  return protocol === "bedrock-converse" ? url : base_url;
}

/**
 * Bedrock's model names begin with the maker. Anthropic's models can use the most of Converse, except a JSON format.
 */
function upstreamModel(protocol: VendorProtocol, upstream: string): string {
  if (protocol !== "bedrock-converse") return upstream;
  return upstream === "json" ? "anthropic.tools" : `anthropic.${upstream}`;
}
