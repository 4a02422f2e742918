import { hashToken, isCsrfToken } from "../../access/console/tokens.ts";
import { type HeaderReader, readBearer } from "../../access/read-credential.ts";
import type { SubKeys } from "../../access/sub-keys.ts";
import type { TokenGuard } from "../../access/token-guard.ts";
import type { UserStore } from "../../core/users.ts";
import { type Actor, missingToken, readActor } from "./actor.ts";
import { ConsoleError } from "./console-error.ts";
import type { Visit } from "./visit.ts";

export interface IdentifyDeps {
  readonly users: UserStore;
  readonly keys: SubKeys;
  readonly admin_token: TokenGuard;
}

/**
 * Identifies the caller: by the admin token where an Authorization header is sent, else by the session of the cookie.
 * The session is read from the database each time, so that a session that ends on any node ends here too. Throws a 401
 * for a wrong token, a 429 after many.
 */
export async function identify(headers: HeaderReader, visit: Visit, deps: IdentifyDeps): Promise<Actor> {
  if (readBearer(headers) !== null) return readActor(headers, deps.admin_token, visit.address);
  if (visit.session_token === null) return { kind: "anonymous", ended: false };
  const open = await deps.users.findSession(hashToken(deps.keys, "session", visit.session_token));
  if (open === null) return { kind: "anonymous", ended: true };
  const { session, user, stale } = open;
  if (stale) await deps.users.touchSession(session.id);
  const { id, role, account_id, email } = user;
  const accounts = new Map(user.memberships.map((each) => [each.account_id, each.role]));
  return { kind: "user", user_id: id, role, account_id, accounts, email, session_id: session.id };
}

/**
 * Refuses changes that another site may have made a browser send (request forgery): a browser's change must come from
 * the console's own pages, and a session's change must carry that session's token. A program that sends the admin token
 * has no cookie to abuse.
 */
export function guardAgainstForgery(method: string, actor: Actor, visit: Visit, keys: SubKeys): void {
  if (method === "GET" || method === "HEAD" || actor.kind === "admin-token") return;
  requireOwnSite(visit);
  if (visit.site === "other") {
    throw new ConsoleError(
      "csrf",
      "This request comes from a page of another site. If a proxy changes the host, set console.public_url.",
    );
  }
  if (actor.kind !== "user") return;
  const { session_token, csrf_token } = visit;
  if (session_token !== null && csrf_token !== null && isCsrfToken(keys, session_token, csrf_token)) return;
  throw new ConsoleError("csrf", "The header x-camino-csrf is missing or is not this session's. Load the page again.");
}

/** The forgery check for calls that sign in: their callers hold no session's token, so only the site is checked. */
export function requireOwnSite(visit: Visit): void {
  if (visit.site !== "other") return;
  throw new ConsoleError(
    "csrf",
    "This request comes from a page of another site. If a proxy changes the host, set console.public_url.",
  );
}

/** Throws a 401 where nobody is signed in. */
export function requireSignedIn(actor: Actor): void {
  if (actor.kind !== "anonymous") return;
  if (actor.ended) throw new ConsoleError("session_ended", "Your session has ended. Sign in again.");
  throw missingToken();
}
