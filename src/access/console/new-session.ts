import { newId } from "../../core/ids.ts";
import type { NewSession, SignInMethod } from "../../core/users.ts";
import type { SubKeys } from "../sub-keys.ts";
import { hashToken, newToken } from "./tokens.ts";

const DAY_MS = 24 * 60 * 60_000;
/** A session ends after a week without use, and in any case after a month. */
const IDLE_MS = 7 * DAY_MS;
const ABSOLUTE_MS = 30 * DAY_MS;
const MAX_USER_AGENT = 300;

export interface SessionOrigin {
  readonly address: string | null;
  readonly user_agent: string | null;
}

/** A new session and the token for its cookie; the database gets only the token's hash. */
export function newSession(
  keys: SubKeys,
  method: SignInMethod,
  { address, user_agent }: SessionOrigin,
): { readonly token: string; readonly session: NewSession } {
  const token = newToken();
  const session: NewSession = {
    id: newId("sess"),
    token_hash: hashToken(keys, "session", token),
    method,
    address,
    user_agent: user_agent?.slice(0, MAX_USER_AGENT) ?? null,
    absolute_ms: ABSOLUTE_MS,
    idle_ms: IDLE_MS,
  };
  return { token, session };
}
