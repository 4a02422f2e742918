import Type, { type Static } from "typebox";
import { AccountName, closed, Timestamp } from "./common.ts";

/**
 * `POST /playground/key`: a real key of the account for the signed-in user, with which the page calls the real endpoints
 * under /v1 of the same origin. It ends after twelve hours and is to be kept in the page's memory only. Each user has one
 * per account: asking again makes a new secret, and the one before stops working (a page that gets 401 asks once more).
 */
export const PlaygroundKeyBody = closed({ account: Type.Optional(AccountName) });
export type PlaygroundKeyBody = Static<typeof PlaygroundKeyBody>;

export const PlaygroundKey = Type.Object({
  object: Type.Literal("playground_key"),
  id: Type.String(),
  account: Type.String(),
  /** `cm-…`, shown in this answer only. */
  key: Type.String(),
  expires_at: Timestamp,
});
export type PlaygroundKey = Static<typeof PlaygroundKey>;
