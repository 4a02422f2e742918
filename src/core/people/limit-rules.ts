import type { RuleLimits } from "./principal.ts";

/** A rule that a request is judged by, with what counts its use: a row of the account (docs/design/tags-and-projects.md). */
export interface AppliedRule extends RuleLimits {
  /** Whose rule it is, and of what: `key_1 model openai/*`. Unique in the account. */
  readonly rule: string;
  /** The value for which it counts apart; "" where it has one count for all requests. */
  readonly value: string;
}
