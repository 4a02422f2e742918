import type { CacheHint, GenerationRequest, Message } from "../../core/answer/generation.ts";
import type { Price } from "../../core/money/price.ts";
import { isPricedLifetime } from "../shared/cache-lifetimes.ts";

/** The most cache hints that vendors accept in a request. */
const MOST_CACHE_HINTS = 4;

export function isHint(holder: object): boolean {
  return "cache" in holder && holder.cache !== undefined;
}

/** The holder without its hint; the same object where it has none. */
export function withoutHint<Holder extends object>(holder: Holder): Holder {
  if (!isHint(holder)) return holder;
  const { cache: _, ...rest } = holder as Holder & { cache?: unknown };
  return rest as Holder;
}

/**
 * A request with at most four cache hints; the same object where it has no more. The last hints stay: a hint caches
 * everything before it, so the last hints cover the parts of the earlier ones.
 */
export function withFewCacheHints(request: GenerationRequest): GenerationRequest {
  const count =
    request.tools.filter(isHint).length + request.messages.reduce((sum, message) => sum + hintsIn(message), 0);
  let too_many = count - MOST_CACHE_HINTS;
  if (too_many <= 0) return request;
  const fewer = <Holder extends object>(holder: Holder): Holder => {
    if (too_many <= 0 || !isHint(holder)) return holder;
    too_many -= 1;
    return withoutHint(holder);
  };
  const tools = request.tools.map(fewer);
  const messages = request.messages.map((message) => {
    const content = message.content.map((part) => fewer(part));
    // The parts keep their types: only the hint is removed from each.
    return fewer({ ...message, content } as Message);
  });
  return { ...request, tools, messages };
}

/**
 * A request whose hints ask for lifetimes that have a price at the target, or for none, which is the vendor's usual one (docs/rulings.md
 * 144); the same object where all do.
 */
export function withPricedHints(request: GenerationRequest, price: Price | undefined): GenerationRequest {
  if (price === undefined) return request;
  let changed = false;
  const priced = <Holder extends object>(holder: Holder): Holder => {
    const hint = "cache" in holder ? (holder.cache as CacheHint | undefined) : undefined;
    if (hint === undefined || isPricedLifetime(hint.ttl, price)) return holder;
    changed = true;
    return { ...holder, cache: { ttl: null } };
  };
  const tools = request.tools.map(priced);
  const messages = request.messages.map((message) => {
    const content = message.content.map((part) => priced(part));
    // The parts keep their types: only the lifetime is removed from each hint.
    return priced({ ...message, content } as Message);
  });
  return changed ? { ...request, tools, messages } : request;
}

function hintsIn(message: Message): number {
  return message.content.filter(isHint).length + (isHint(message) ? 1 : 0);
}
