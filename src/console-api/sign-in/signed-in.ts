import type { Session, SessionUser } from "../../../contract/session.ts";
import { newSession } from "../../access/console/new-session.ts";
import { csrfToken, hashToken } from "../../access/console/tokens.ts";
import { GatewayError } from "../../core/errors.ts";
import type { NewSession, SessionRecord, SignedIn, SignInMethod, UserRecord } from "../../core/users.ts";
import { ConsoleError } from "../answer/console-error.ts";
import type { Call, ConsoleAnswer } from "../answer/route.ts";
import { cookie, SESSION_COOKIE } from "../answer/visit.ts";

/** The longest life of a session; the session itself may end earlier. */
const COOKIE_MAX_AGE_S = 30 * 24 * 60 * 60;

type AnyCall = Call<unknown, unknown>;

/** A new session for a call, and its token. */
export function beginSession({ deps, visit }: AnyCall, method: SignInMethod): { token: string; session: NewSession } {
  return newSession(deps.keys, method, visit);
}

export function sessionCookie({ visit }: AnyCall, token: string): string {
  return cookie(visit, { name: SESSION_COOKIE, value: token, path: "/console", max_age_s: COOKIE_MAX_AGE_S });
}

/** The answer to a successful sign-in. */
export function signedIn(call: AnyCall, { user, session }: SignedIn, token: string, more: object = {}): ConsoleAnswer {
  const body = { ...showSession(call, user, session, token), ...more };
  return { status: 200, body, cookies: [sessionCookie(call, token)] };
}

export function showSession({ deps }: AnyCall, user: UserRecord, session: SessionRecord, token: string): Session {
  return {
    user: showSessionUser(user),
    csrf_token: csrfToken(deps.keys, token),
    expires_at: new Date(session.expires_ms).toISOString(),
  };
}

function showSessionUser(user: UserRecord): SessionUser {
  const { id, email, name, role, account_id, has_password, passkeys, identities } = user;
  return { id, email, name, role, account_id, has_password, passkeys, identities: [...identities] };
}

/** The signed-in user and their session, read anew. Throws where the caller holds the admin token. */
export async function ownSession(call: AnyCall): Promise<SignedIn & { readonly token: string }> {
  const { deps, actor, visit } = call;
  if (actor.kind !== "user") {
    throw new GatewayError("not_found", "The admin token is nobody's: sign in to the console to have a session.");
  }
  const token = visit.session_token ?? "";
  const open = await deps.users.findSession(hashToken(deps.keys, "session", token));
  if (open === null) throw new ConsoleError("session_ended", "Your session has ended. Sign in again.");
  return { user: open.user, session: open.session, token };
}

/** Records a sign-in that was refused. */
export async function recordRefusal(
  { deps, note }: AnyCall,
  user_id: string | null,
  account_id: string | null,
  facts: Readonly<Record<string, unknown>>,
): Promise<void> {
  await deps.users.addAuditEntry({
    ...note,
    action: "session.refuse",
    object: { kind: "user", id: user_id },
    account_id,
    before: null,
    after: facts,
  });
}
