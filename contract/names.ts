import Type, { type Static } from "typebox";
import { closed } from "./common.ts";

/** The largest number of ids that are named in one call. */
export const MOST_NAMES = 200;

export const NamesQuery = closed({
  /** Ids of accounts and users, with commas between them. */
  ids: Type.String({
    pattern: `^[A-Za-z0-9_-]{1,64}(,[A-Za-z0-9_-]{1,64}){0,${MOST_NAMES - 1}}$`,
    description: `1 to ${MOST_NAMES} ids of accounts or users, with commas between them`,
  }),
});
export type NamesQuery = Static<typeof NamesQuery>;

/** `GET /names`: the names of objects by their ids. Unknown ids are left out. */
export const Names = Type.Object({
  object: Type.Literal("names"),
  /** E-mail addresses, by id. */
  names: Type.Record(Type.String(), Type.String()),
});
export type Names = Static<typeof Names>;
