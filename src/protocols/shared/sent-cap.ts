import type { ClientRequest, Target } from "../../core/answer/exchange.ts";

/**
 * The cap that a target gets: the client's, else what the gateway grants because no more output is held
 * (docs/rulings.md 142). At most the model's maximum, which no answer exceeds and above which vendors refuse a cap (166).
 * Null where there is none.
 */
export function sentCap(
  { output_cap, granted_cap }: Pick<ClientRequest, "output_cap" | "granted_cap">,
  { model }: Pick<Target, "model">,
): number | null {
  const cap = output_cap ?? granted_cap;
  return cap === undefined ? null : Math.min(cap, model.max_completion_tokens ?? cap);
}
