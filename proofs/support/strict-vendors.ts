import { BadRequest } from "../../simulator/ask.ts";
import { parseModelName } from "../../simulator/model-name.ts";
import { findSimulatedModel } from "../../simulator/models.ts";
import { PROTOCOLS } from "../../simulator/protocols/index.ts";
import { enforce } from "../../simulator/rules/rule.ts";
import { findVendorRow } from "../../src/catalog/vendors/vendors.ts";
import type { VendorCodec } from "../../src/core/answer/codec.ts";
import type { Target } from "../../src/core/answer/exchange.ts";
import type { ReasoningControls } from "../../src/core/catalog/catalog.ts";
import type { Protocol } from "../../src/core/endpoints.ts";
import { bedrockConverse } from "../../src/protocols/bedrock-converse/codec.ts";
import { chatVendorCodec } from "../../src/protocols/chat-completions/codec.ts";
import { gemini } from "../../src/protocols/gemini/codec.ts";
import { messagesVendorCodec } from "../../src/protocols/messages/codec.ts";
import { responsesVendorCodec } from "../../src/protocols/responses/codec.ts";
import { type TargetOptions, targetFor } from "./target.ts";

/** The vendors whose rules the simulator has, each with a model that keeps them. */

const LEVELS: ReasoningControls = { toggle: true, effort: ["none", "minimal", "low", "medium", "high", "xhigh"] };
const BUDGET: ReasoningControls = { toggle: true, budget_tokens: { min: 1024, max: 32_000 } };

export interface StrictVendor {
  readonly protocol: Protocol;
  readonly codec: VendorCodec;
  readonly model: string;
  readonly reasoning?: ReasoningControls;
  readonly target?: TargetOptions;
  /** It refuses the beginning of an answer, which only the client can do without. */
  readonly no_prefill?: boolean;
}

/** A vendor of chat completions as the table of vendors knows it, under the name that the simulator has for its rules. */
function chatLike(id: string): StrictVendor {
  const quirks = findVendorRow(id)?.quirks ?? {};
  return {
    protocol: "chat-completions",
    codec: chatVendorCodec,
    model: `echo@like=${id}`,
    target: { quirks, forwards_safety_identifier: false },
  };
}

export const STRICT_VENDORS: readonly StrictVendor[] = [
  { protocol: "chat-completions", codec: chatVendorCodec, model: "echo" },
  { protocol: "chat-completions", codec: chatVendorCodec, model: "reason", reasoning: LEVELS },
  {
    protocol: "chat-completions",
    codec: chatVendorCodec,
    model: "echo@like=mistral",
    target: { quirks: findVendorRow("mistral")?.quirks ?? {}, forwards_safety_identifier: false },
  },
  {
    protocol: "chat-completions",
    codec: chatVendorCodec,
    model: "echo@like=openai-reasoning",
    reasoning: LEVELS,
    target: { sampling: "never" },
  },
  ...["groq", "cerebras", "google"].map(chatLike),
  { protocol: "responses", codec: responsesVendorCodec, model: "echo" },
  {
    protocol: "responses",
    codec: responsesVendorCodec,
    model: "echo@like=openai-reasoning",
    reasoning: LEVELS,
    target: { sampling: "never" },
  },
  { protocol: "responses", codec: responsesVendorCodec, model: "reason", reasoning: LEVELS },
  { protocol: "messages", codec: messagesVendorCodec, model: "echo@like=claude-4.5" },
  { protocol: "messages", codec: messagesVendorCodec, model: "reason@like=claude-4.5", reasoning: BUDGET },
  {
    protocol: "messages",
    codec: messagesVendorCodec,
    model: "reason@like=claude-4.6",
    reasoning: BUDGET,
    no_prefill: true,
  },
  { protocol: "messages", codec: messagesVendorCodec, model: "reason", reasoning: LEVELS },
  {
    protocol: "messages",
    codec: messagesVendorCodec,
    model: "reason@like=claude-4.7",
    reasoning: LEVELS,
    // As in the bundled catalogue.
    target: { sampling: "never" },
    no_prefill: true,
  },
  {
    protocol: "messages",
    codec: messagesVendorCodec,
    model: "echo@like=claude-4.7",
    target: { sampling: "never" },
    no_prefill: true,
  },
  { protocol: "gemini", codec: gemini, model: "echo@like=gemini-2.5" },
  { protocol: "gemini", codec: gemini, model: "reason@like=gemini-2.5", reasoning: BUDGET },
  { protocol: "gemini", codec: gemini, model: "reason", reasoning: LEVELS },
  { protocol: "bedrock-converse", codec: bedrockConverse, model: "anthropic.echo" },
  { protocol: "bedrock-converse", codec: bedrockConverse, model: "anthropic.reason", reasoning: BUDGET },
  { protocol: "bedrock-converse", codec: bedrockConverse, model: "amazon.echo" },
];

/** The model of a strict vendor as a target of the routing. */
export function strictTarget({ protocol, model, reasoning, target: options }: StrictVendor): Target {
  const thinking = reasoning === undefined ? { thinking: false } : { thinking: true, reasoning };
  return targetFor(protocol, { ...options, upstream_model: model, capabilities: thinking });
}

/** Sends nothing: what the vendor would say of a request; null where it takes the request. */
export function complaintOf(
  { protocol }: StrictVendor,
  sent: { readonly path: string; readonly body: string; readonly headers: Readonly<Record<string, string>> },
): string | null {
  const vendor = PROTOCOLS.find((spoken) => spoken.protocol === protocol);
  if (vendor === undefined) throw new Error(`${protocol} is not simulated`);
  const body = JSON.parse(sent.body) as Record<string, unknown>;
  const name = parseModelName(vendor.modelOf(body, sent.path) ?? "");
  const thinks = findSimulatedModel(name.name)?.capabilities.thinking === true;
  const headers = new Headers({ "anthropic-version": "2023-06-01", ...sent.headers });
  try {
    enforce(vendor.rulesOf?.(name) ?? [], { body, path: sent.path, model: name, thinks });
    vendor.readAsk(name, body, headers, sent.path);
    return null;
  } catch (error) {
    if (error instanceof BadRequest) return error.message;
    throw error;
  }
}
