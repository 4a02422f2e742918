import { hashToken, isCsrfToken } from "../../access/console/tokens.ts";
import { isManagementKey, managementKeyHash } from "../../access/management-key.ts";
import { readBearer } from "../../access/read-credential.ts";
import type { SubKeys } from "../../access/sub-keys.ts";
import type { TokenGuard } from "../../access/token-guard.ts";
import type { ClientHeaders } from "../../core/answer/exchange.ts";
import { GatewayError } from "../../core/errors.ts";
import type { UserStore } from "../../core/people/users.ts";
import { type Actor, missingToken, readActor } from "./actor.ts";
import { ConsoleError } from "./console-error.ts";
import type { Visit } from "./visit.ts";

interface IdentifyDeps {
  readonly users: UserStore;
  readonly keys: SubKeys;
  readonly admin_token: TokenGuard;
}

/**
 * Identifies the caller: by the admin token or a management key where an Authorization header is sent, else by the session of the cookie.
 * The session is read from the database each time, so that a session that ends on any node ends here too. Throws a 401
 * for a wrong token, a 429 after many.
 */
export async function identify(headers: ClientHeaders, visit: Visit, deps: IdentifyDeps): Promise<Actor> {
  const token = readBearer(headers);
  if (token !== null && isManagementKey(token)) return await readManagementKey(token, visit, deps);
  if (token !== null) return readActor(headers, deps.admin_token, visit.address);
  if (visit.session_token === null) return { kind: "anonymous", ended: false };
  const open = await deps.users.findSession(hashToken(deps.keys, "session", visit.session_token));
  if (open === null) return { kind: "anonymous", ended: true };
  const { session, user, stale } = open;
  if (stale) await deps.users.touchSession(session.id);
  const { id, role, account_id, email } = user;
  const accounts = new Map(user.memberships.map((each) => [each.account_id, each.role]));
  return { kind: "user", user_id: id, role, account_id, accounts, email, session_id: session.id };
}

/** The management key's row is read each time, as a session is: one that is revoked anywhere is refused here too. */
async function readManagementKey(token: string, visit: Visit, { users, keys, admin_token }: IdentifyDeps) {
  const found = await admin_token.judgeBy(visit.address, async () => {
    const hash = managementKeyHash(keys, token);
    return hash === null ? null : await users.findManagementKeyByHash(hash);
  });
  if (found === null) {
    throw new GatewayError("invalid_api_key", "This management key is not valid. Check that it was copied whole.");
  }
  const { key, usable, stale } = found;
  if (!usable) {
    const ended = key.revoked_ms === null ? "has expired" : "is revoked";
    throw new GatewayError("api_key_inactive", `This management key ${ended}. Use another one.`);
  }
  if (stale) await users.touchManagementKey(key.id);
  const { id, name, account_id } = key;
  return { kind: "management-key", id, name, account_id, scopes: new Set(key.scopes) } as const;
}

/**
 * Refuses changes that another site may have made a browser send (request forgery): a browser's change must come from
 * the console's own pages, and a session's change must carry that session's token. A program that sends the admin token or a
 * management key has no cookie to abuse (docs/rulings.md 120).
 */
export function guardAgainstForgery(method: string, actor: Actor, visit: Visit, keys: SubKeys): void {
  if (method === "GET" || method === "HEAD" || actor.kind === "admin-token" || actor.kind === "management-key") return;
  requireOwnSite(visit);
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
