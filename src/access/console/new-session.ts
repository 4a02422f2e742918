import { newId } from "../../core/ids.ts";
import type { NewSession, SignInMethod } from "../../core/people/users.ts";
import { SESSION_LIFE } from "../../people/sign-in/session-life.ts";
import type { SubKeys } from "../sub-keys.ts";
import { hashToken, newToken } from "./tokens.ts";

const MAX_USER_AGENT = 300;

export interface SessionOrigin {
  readonly address: string | null;
  readonly user_agent: string | null;
}

/** A new session and the token for its cookie; the database gets only the token's hash (docs/rulings.md 115). */
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
    ...SESSION_LIFE,
  };
  return { token, session };
}
