import Type, { type Static } from "typebox";
import { Timestamp } from "./common.ts";

/**
 * `POST /playground/key`: a real key of the account for the signed-in user, with which the page calls the real endpoints
 * under /v1 of the same origin. The key ends after twelve hours; pages keep it in memory only. Each user has one such
 * key per account: a new call makes a new secret and ends the one before (a page that gets a 401 calls again).
 */
export const PlaygroundKey = Type.Object({
  object: Type.Literal("playground_key"),
  id: Type.String(),
  account: Type.String(),
  /** The key `cm-…`, which no other answer shows. */
  key: Type.String(),
  expires_at: Timestamp,
});
export type PlaygroundKey = Static<typeof PlaygroundKey>;
