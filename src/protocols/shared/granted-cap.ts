import type { ClientRequest, Target } from "../../core/exchange.ts";

/**
 * The cap that the gateway sends of its own because no more output is held (docs/rulings.md 142), within what the target's
 * model takes. Null for most requests.
 */
export function grantedCap({ granted_cap }: Pick<ClientRequest, "granted_cap">, { model }: Pick<Target, "model">) {
  if (granted_cap === undefined) return null;
  return Math.min(granted_cap, model.max_completion_tokens ?? granted_cap);
}
