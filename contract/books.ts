import Type, { type Static } from "typebox";
import { AccountName, closed, orNull } from "./common.ts";

/** Work on the books as a whole, for administrators. */

export const RebuildUsage = closed({
  account: Type.Optional(AccountName),
  /** Goes on where an earlier answer stopped. */
  after: Type.Optional(
    Type.String({ pattern: "^[A-Za-z0-9_]{1,100} \\d{1,16}$", description: "the next of an earlier answer" }),
  ),
});
export type RebuildUsage = Static<typeof RebuildUsage>;

export const RebuiltUsage = Type.Object({
  /** Accounts that were finished. */
  accounts: Type.Integer(),
  /** The corrected counts: a day's usage by key and model, or a key's counters. */
  changed: Type.Array(
    Type.Object({
      account: Type.String(),
      key: Type.String(),
      model: orNull(Type.String()),
      day: orNull(Type.String()),
      was: Type.String(),
      is: Type.String(),
    }),
  ),
  /** Null when all is done, else the `after` of the next call. */
  next: orNull(Type.String()),
});
export type RebuiltUsage = Static<typeof RebuiltUsage>;
