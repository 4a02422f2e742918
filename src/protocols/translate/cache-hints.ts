import type { GenerationRequest, Message } from "../../core/generation.ts";

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

function hintsIn(message: Message): number {
  return message.content.filter(isHint).length + (isHint(message) ? 1 : 0);
}
