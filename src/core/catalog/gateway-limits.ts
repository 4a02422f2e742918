import type { GatewayTagLimit, ModelLimit } from "../people/principal.ts";

/** The limits that hold for all keys, or that keys without their own have. */
export interface GatewayLimits {
  readonly body_bytes: number;
  /** How many calls to a chat model our engine may make for one request (docs/rulings.md 153). */
  readonly decision_calls: number;
  readonly default_key: { readonly rpm: number; readonly concurrent: number };
  /** Limits by model, each for every account apart; absent: none (docs/rulings.md 177). */
  readonly models?: readonly ModelLimit[];
  /** Limits by tag, each for every account apart; absent: none (docs/rulings.md 176). */
  readonly tags?: readonly GatewayTagLimit[];
  /** The tag whose value an end user's id is where a request names no other; absent: none. */
  readonly end_user?: string;
}
