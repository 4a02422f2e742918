import type { RequestField, Setting, VendorTraits } from "../../core/answer/codec.ts";
import type { CacheHint, GenerationRequest, Message } from "../../core/answer/generation.ts";
import type { Price } from "../../core/money/price.ts";
import { isPricedLifetime } from "../shared/cache-lifetimes.ts";

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

/** The most cache hints that vendors accept in a request. */
const MOST_CACHE_HINTS = 4;

/**
 * The request with the cache hints that its target takes: none where it honours none; else at most four, with lifetimes
 * that have a price (docs/rulings.md 144). The same object where nothing has to change.
 */
export function fitCacheHints(
  request: GenerationRequest,
  are_honoured: boolean,
  price: Price | undefined,
): GenerationRequest {
  let count = 0;
  for (const holder of [...request.tools, ...request.messages.flatMap((message) => [message, ...message.content])])
    if (hintOf(holder) !== undefined) count += 1;
  if (count === 0) return request;
  if (!are_honoured) return withHolders(request, withoutHint);
  return withPricedHints(withFewHints(request, count - MOST_CACHE_HINTS), price);
}

/** The last hints stay: a hint caches everything before it, so the last hints cover the parts of the earlier ones. */
function withFewHints(request: GenerationRequest, too_many: number): GenerationRequest {
  if (too_many <= 0) return request;
  let left = too_many;
  return withHolders(request, (holder) => {
    if (left === 0 || hintOf(holder) === undefined) return holder;
    left -= 1;
    return withoutHint(holder);
  });
}

/** A hint whose lifetime has no price asks for none, which is the vendor's usual one. */
function withPricedHints(request: GenerationRequest, price: Price | undefined): GenerationRequest {
  if (price === undefined) return request;
  let changed = false;
  const priced = withHolders(request, (holder) => {
    const hint = hintOf(holder);
    if (hint === undefined || isPricedLifetime(hint.ttl, price)) return holder;
    changed = true;
    return { ...holder, cache: { ttl: null } };
  });
  return changed ? priced : request;
}

/** Changes the hint of a tool, a message or a part, and nothing else of it. */
type ChangeHint = <Holder extends object>(holder: Holder) => Holder;

function withHolders(request: GenerationRequest, change: ChangeHint): GenerationRequest {
  const tools = request.tools.map((tool) => change(tool));
  const messages = request.messages.map((message) =>
    change({ ...message, content: message.content.map((part) => change(part)) } as Message),
  );
  return { ...request, tools, messages };
}

function hintOf(holder: { readonly cache?: CacheHint } | object): CacheHint | undefined {
  return "cache" in holder ? holder.cache : undefined;
}

function withoutHint<Holder extends object>(holder: Holder): Holder {
  const { cache: _, ...rest } = holder as Holder & { cache?: unknown };
  return rest as Holder;
}
