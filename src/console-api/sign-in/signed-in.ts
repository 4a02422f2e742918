import type { Session, SessionUser } from "../../../contract/session.ts";
import { markBrowser } from "../../access/console/known-browser.ts";
import { newSession } from "../../access/console/new-session.ts";
import { csrfToken, hashToken } from "../../access/console/tokens.ts";
import type { ConsoleAnswer } from "../../core/answer/console-exchange.ts";
import { GatewayError } from "../../core/errors.ts";
import type { NewSession, SessionRecord, SignedIn, SignInMethod, UserRecord } from "../../core/people/users.ts";
import { ConsoleError } from "../answer/console-error.ts";
import type { ConsoleCall } from "../answer/route.ts";
import { BROWSER_COOKIE, cookie, SESSION_COOKIE, type Visit } from "../answer/visit.ts";
import { showTime } from "../show/show.ts";

/** The longest life of a session; the session itself may end earlier. */
const COOKIE_MAX_AGE_S = 30 * 24 * 60 * 60;
const BROWSER_MAX_AGE_S = 400 * 24 * 60 * 60;

export function beginSession(
  { deps, visit }: ConsoleCall,
  method: SignInMethod,
): { token: string; session: NewSession } {
  return newSession(deps.keys, method, visit);
}

/**
 * The cookies of somebody who has signed in: their session, and a mark of the browser as theirs (docs/rulings.md 116).
 */
export function sessionCookies({ deps, visit }: ConsoleCall, { user }: SignedIn, token: string): readonly string[] {
  return [
    cookie(visit, { name: SESSION_COOKIE, value: token, max_age_s: COOKIE_MAX_AGE_S }),
    cookie(visit, { name: BROWSER_COOKIE, value: markBrowser(deps.keys, user.email), max_age_s: BROWSER_MAX_AGE_S }),
  ];
}

export function endedSessionCookie(visit: Visit): string {
  return cookie(visit, { name: SESSION_COOKIE, value: "", max_age_s: 0 });
}

/** The answer to a successful sign-in. */
export async function signedIn(
  call: ConsoleCall,
  opened: SignedIn,
  token: string,
  more: object = {},
): Promise<ConsoleAnswer> {
  const body = { ...(await showSession(call, opened.user, opened.session, token)), ...more };
  return { status: 200, body, cookies: sessionCookies(call, opened, token) };
}

export async function showSession(
  { deps }: ConsoleCall,
  user: UserRecord,
  session: SessionRecord,
  token: string,
): Promise<Session> {
  const [found, projects] = await Promise.all([
    deps.accounts.labelAccounts(user.memberships.map(({ account_id }) => account_id)),
    deps.accounts.labelProjects(user.memberships.flatMap(({ project_id }) => project_id ?? [])),
  ]);
  const names = new Map(projects.map(({ id, name }) => [id, { id, name }]));
  const called = new Map(found.map((label) => [label.id, label]));
  const accounts = user.memberships.map(({ account_id, role, project_id }) => {
    const { email = account_id, name = "" } = called.get(account_id) ?? {};
    return { id: account_id, email, name, role, project: names.get(project_id ?? "") ?? null };
  });
  return {
    user: { ...showSessionUser(user), accounts },
    csrf_token: csrfToken(deps.keys, token),
    expires_at: showTime(session.expires_ms),
  };
}

function showSessionUser(user: UserRecord): Omit<SessionUser, "accounts"> {
  const { id, email, name, role, account_id, has_password, passkeys, identities } = user;
  return { id, email, name, role, account_id, has_password, passkeys, identities: [...identities] };
}

/** The signed-in user and their session, read anew. Throws where the caller holds the admin token. */
export async function ownSession(call: ConsoleCall): Promise<SignedIn & { readonly token: string }> {
  const { deps, actor, visit } = call;
  if (actor.kind !== "user") {
    throw new GatewayError("not_found", "The admin token has no user: sign in to the console to get a session.");
  }
  const token = visit.session_token ?? "";
  const open = await deps.users.findSession(hashToken(deps.keys, "session", token));
  if (open === null) throw new ConsoleError("session_ended", "Your session has ended. Sign in again.");
  return { user: open.user, session: open.session, token };
}

/** Counts a sign-in that was refused, and records it; of many from one address the first hundred in a quarter of an hour. */
export async function recordRefusal(
  { deps, note, visit }: ConsoleCall,
  user_id: string | null,
  account_id: string | null,
  facts: { readonly method: SignInMethod } & Readonly<Record<string, unknown>>,
): Promise<void> {
  deps.sign_in.refused(facts.method);
  if (!deps.sign_in.limits.mayRecord(visit.address)) return;
  await deps.users.addAuditEntry({
    ...note,
    action: "session.refuse",
    object: { kind: "user", id: user_id },
    account_id,
    before: null,
    after: facts,
  });
}
