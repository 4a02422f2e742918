import type { Json } from "./styles.ts";

/** The output tokens that a whole answer tells, in any style; null where it tells none. */
export function usageInWhole(body: Json): number | null {
  return outputTokens(body.usage);
}

/** The output tokens that a stream tells last, in any style; null where it tells none. */
export function usageInStream(events: readonly (Json | "[DONE]")[]): number | null {
  return events.reduce<number | null>((told, event) => outputTokens(usageIn(event)) ?? told, null);
}

function usageIn(event: Json | "[DONE]"): unknown {
  if (event === "[DONE]" || event.type === "message_start") return null;
  const { response } = event as { response?: Json };
  return response?.usage ?? event.usage;
}

function outputTokens(usage: unknown): number | null {
  const { completion_tokens, output_tokens } = (usage ?? {}) as Record<string, unknown>;
  const count = completion_tokens ?? output_tokens;
  return typeof count === "number" ? count : null;
}
