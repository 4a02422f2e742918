import Type, { type Static } from "typebox";
import { AccountName, closed, orNull } from "./common.ts";

/** Stored answers that are given again (docs/rulings.md 183). */

export const CacheQuery = closed({
  /** An account id or e-mail. Default: one's own, for administrators all accounts together. */
  account: Type.Optional(AccountName),
});
export type CacheQuery = Static<typeof CacheQuery>;

export const CacheState = Type.Object({
  object: Type.Literal("cache"),
  /** The account's id; null: all accounts together. */
  account: orNull(Type.String()),
  /** How much room the stored answers take, encrypted. */
  bytes: Type.Integer(),
  /** How many bytes those of all accounts may take together; 0: no answers are stored. */
  most_bytes: Type.Integer(),
  /** The longest time for which an answer is stored. */
  longest_s: Type.Integer(),
  /** What an answer costs that is given again, in percent of what it cost first. */
  charge_percent: Type.Integer(),
});
export type CacheState = Static<typeof CacheState>;

/** Removes the stored answers of an account, or with `all` those of all accounts. */
export const EmptyCache = closed({
  account: Type.Optional(AccountName),
  all: Type.Optional(Type.Literal(true, { description: "true" })),
});
export type EmptyCache = Static<typeof EmptyCache>;
export const EmptiedCache = Type.Object({ removed: Type.Integer() });
export type EmptiedCache = Static<typeof EmptiedCache>;
