import type { Micro } from "../money/money.ts";
import type { RuleUse } from "./budgets.ts";
import type { Budget, OwnLimits } from "./principal.ts";

/** A value of a tag, with what it may use and has used (docs/rulings.md 176). */
export interface TagValueUse extends RuleUse {
  /** What it has of its own in place of what all values have; null: nothing. */
  readonly own: OwnLimits | null;
  /** When a request was last admitted by it; 0: never. */
  readonly used_ms: number;
  /** What was charged in the window that runs: by this the values are sorted. */
  readonly spent_micro: Micro;
}

/** Which values of a tag's rule are asked for: the largest spending first. */
export interface TagValuesQuery {
  readonly account_id: string;
  readonly rule: string;
  /** The budget of values that have none of their own. */
  readonly budget: Budget | null;
  /** The budgets of values in the configuration, which those of the rows go before. */
  readonly values?: ReadonlyMap<string, OwnLimits>;
  /** Only values that begin so; "": all. */
  readonly prefix: string;
  /** Only those that follow this one in the list. */
  readonly after?: Pick<TagValueUse, "spent_micro" | "value">;
  readonly limit: number;
}

/** Limits of a value of its own, or null for none. */
export interface OwnLimitsChange {
  readonly account_id: string;
  readonly rule: string;
  readonly value: string;
  readonly own: OwnLimits | null;
}

/** The values of limits by tag (docs/rulings.md 176). */
export interface TagValueStore {
  /** The values of a limit by tag that have counted a request or have limits of their own: the largest spending first. */
  tagValues(query: TagValuesQuery): Promise<TagValueUse[]>;
  /** How many values a limit by tag has that begin with a text. */
  countTagValues(account_id: string, rule: string, prefix: string): Promise<number>;
  /** One value of a limit by tag, by its name; null where it has no row. */
  tagValue(query: Omit<TagValuesQuery, "prefix" | "after" | "limit">, value: string): Promise<TagValueUse | null>;
  /** Gives a value of a limit by tag limits of its own, or takes them away. False where there is no such account. */
  setTagValue(change: OwnLimitsChange): Promise<boolean>;
}
