import type { RequestField, Setting, VendorTraits } from "../../core/answer/codec.ts";
import type { GenerationRequest, Message } from "../../core/answer/generation.ts";
import type { Price } from "../../core/money/price.ts";
import { fitCacheHints } from "./cache-hints.ts";

type PlainSetting = Exclude<Setting, "cache_hints" | "names">;

/** Values that ask for the default behaviour: they are left out silently (docs/rulings.md 75). */
const CHANGES_NOTHING: { readonly [Name in PlainSetting]: (value: NonNullable<GenerationRequest[Name]>) => boolean } = {
  parallel_tool_calls: (value) => value,
  temperature: (value) => value === 1,
  top_p: (value) => value === 1,
  top_k: () => false,
  presence_penalty: (value) => value === 0,
  frequency_penalty: (value) => value === 0,
  seed: () => false,
  logprobs: () => false,
  logit_bias: (value) => Object.keys(value).length === 0,
  verbosity: (value) => value === "medium",
  end_user: () => false,
  metadata: (value) => Object.keys(value).length === 0,
  prompt_cache_key: () => false,
  service_tier: (value) => value === "auto" || value === "default",
};

const PLAIN_SETTINGS = Object.keys(CHANGES_NOTHING) as readonly PlainSetting[];

/** A request without settings that the target cannot honour, and the names of those that were left out. */
export interface SupportedRequest {
  readonly request: GenerationRequest;
  readonly ignored: readonly RequestField[];
}

export interface HonouringTarget extends Pick<VendorTraits, "honours"> {
  /** Absent where nothing is charged. */
  readonly price?: Price | undefined;
}

/** Leaves out the settings that a target's traits deny (docs/rulings.md 10). */
export function keepSupportedSettings(
  request: GenerationRequest,
  { honours, price }: HonouringTarget,
): SupportedRequest {
  const ignored: RequestField[] = [];
  let kept: GenerationRequest = request;
  for (const setting of PLAIN_SETTINGS) {
    if (honours[setting] || request[setting] === undefined) continue;
    if (!changesNothing(setting, request)) ignored.push(setting);
    const { [setting]: _, ...rest } = kept;
    kept = rest;
  }
  if (!honours.names && request.messages.some(isNamed)) {
    ignored.push("names");
    kept = { ...kept, messages: kept.messages.map(withoutName) };
  }
  const hinted = fitCacheHints(kept, honours.cache_hints, price);
  if (hinted !== kept) ignored.push("cache_hints");
  return { request: hinted, ignored };
}

function changesNothing<Name extends PlainSetting>(setting: Name, request: GenerationRequest): boolean {
  const value = request[setting];
  const isNothing: (value: NonNullable<GenerationRequest[Name]>) => boolean = CHANGES_NOTHING[setting];
  return value === undefined || value === null || isNothing(value);
}

function isNamed(message: Message): boolean {
  return "name" in message && message.name !== undefined;
}

function withoutName(message: Message): Message {
  if (message.role !== "user" && message.role !== "assistant") return message;
  const { name: _, ...rest } = message;
  return rest;
}
