import type { CacheHint, GenerationRequest, Message } from "../../core/answer/generation.ts";
import type { Price } from "../../core/money/price.ts";
import { isPricedLifetime } from "../shared/cache-lifetimes.ts";

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
