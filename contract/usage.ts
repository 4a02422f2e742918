import Type, { type Static } from "typebox";
import { closed, Currency, Day, Micro } from "./common.ts";

export const UsageGrouping = Type.Enum(["key", "model", "day"], { description: '"key", "model" or "day"' });
export type UsageGrouping = Static<typeof UsageGrouping>;

export const UsageQuery = closed({
  /** An account id or e-mail; all accounts without it (administrators). */
  account: Type.Optional(Type.String({ description: "an account id or e-mail" })),
  /** UTC days, both inclusive. */
  since: Type.Optional(Day),
  until: Type.Optional(Day),
  by: Type.Optional(UsageGrouping),
});
export type UsageQuery = Static<typeof UsageQuery>;

const totals = {
  cost_micro: Micro,
  /** All input, cached included. */
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
  request_count: Type.Integer(),
  success_count: Type.Integer(),
};

export const UsageTotals = Type.Object(totals);
export type UsageTotals = Static<typeof UsageTotals>;

/** `group` is a key id, a model id or a day, as `by` says. */
export const UsageRow = Type.Object({ group: Type.String(), ...totals });
export type UsageRow = Static<typeof UsageRow>;

export const UsageReport = Type.Object({
  object: Type.Literal("list"),
  by: UsageGrouping,
  since: Type.Union([Day, Type.Null()]),
  until: Type.Union([Day, Type.Null()]),
  currency: Currency,
  data: Type.Array(UsageRow),
  total: UsageTotals,
});
export type UsageReport = Static<typeof UsageReport>;
