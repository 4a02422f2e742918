import type { Deleted } from "../../../contract/common.ts";
import {
  AddPasskey,
  OidcQuery,
  type OpenSession,
  type Passkey,
  type PasskeyList,
  type Session,
  type SessionList,
  UpdateMe,
} from "../../../contract/session.ts";
import { OidcUnavailable } from "../../access/console/oidc-flow.ts";
import { creationOptions, readNewPasskey } from "../../access/console/passkeys.ts";
import { hashPassword, verifyPassword } from "../../access/console/passwords.ts";
import type { ConsoleAnswer } from "../../core/answer/console-exchange.ts";
import { invalidRequest } from "../../core/errors.ts";
import { given } from "../../core/given.ts";
import type { PasskeyRecord, SessionRecord, UserRecord } from "../../core/people/users.ts";
import { needsPassword } from "../../people/sign-in/session-life.ts";
import { changesEmail } from "../../people/users/change-user.ts";
import { ConsoleError } from "../answer/console-error.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound } from "../answer/scope.ts";
import { showTime } from "../show/show.ts";
import { beginOidc } from "../sign-in/oidc-routes.ts";
import { safeReturn } from "../sign-in/safe-return.ts";
import { ownSession, showSession } from "../sign-in/signed-in.ts";

/** Each user's own settings, passkeys and sessions, reached through the session and never by a user's id. */
export const meRoutes = [
  route("PATCH /me", "member", { audit: "user.update", body: UpdateMe, show: updateMe }),
  route("GET /me/passkeys", "member", {
    show: async (call): Promise<PasskeyList> => {
      const { user } = await ownSession(call);
      return { object: "list", data: (await call.deps.users.listPasskeys(user.id)).map(showPasskey) };
    },
  }),
  route("POST /me/passkeys/options", "member", {
    audit: { none: "a challenge is soon over" },
    show: async (call) => creationOptions(call.deps.users, (await ownSession(call)).user, call.visit),
  }),
  route("POST /me/passkeys", "member", {
    audit: "passkey.add",
    body: AddPasskey,
    make: async (call) => {
      const { user } = await ownSession(call);
      const made = await readNewPasskey(call.deps.users, user, { ...call.body, name: call.body.name ?? "" });
      return showPasskey(await call.deps.users.addPasskey(made, call.note));
    },
  }),
  route("DELETE /me/passkeys/{passkey}", "member", {
    audit: "passkey.remove",
    show: (call) => removeOwn(call, "passkey", ({ users }, user_id, id) => users.deletePasskey(user_id, id, call.note)),
  }),
  route("POST /me/identities/{provider}", "member", {
    audit: { none: "the identity is added when the provider has answered" },
    query: OidcQuery,
    handle: addIdentity,
  }),
  route("DELETE /me/identities/{provider}", "member", {
    audit: "identity.remove",
    show: (call) =>
      removeOwn(call, "provider", ({ users }, user_id, id) => users.deleteIdentity(user_id, id, call.note)),
  }),
  route("GET /me/sessions", "member", {
    show: async (call): Promise<SessionList> => {
      const { user, session } = await ownSession(call);
      const sessions = await call.deps.users.listSessions(user.id);
      return { object: "list", data: sessions.map((each) => showOpenSession(each, each.id === session.id)) };
    },
  }),
  route("DELETE /me/sessions/{session}", "member", {
    audit: "session.close",
    show: (call) => removeOwn(call, "session", ({ users }, user_id, id) => users.endSession(user_id, id, call.note)),
  }),
];

/** Removes something of the signed-in user's own that the path names. */
async function removeOwn(
  call: ConsoleCall,
  kind: "passkey" | "provider" | "session",
  remove: (deps: ConsoleCall["deps"], user_id: string, id: string) => Promise<boolean>,
): Promise<Deleted> {
  const { user } = await ownSession(call);
  const id = call.params[kind] ?? "";
  if (!(await remove(call.deps, user.id, id))) throw notFound(kind, id);
  return { id, deleted: true };
}

async function updateMe(call: ConsoleCall<UpdateMe>): Promise<Session> {
  const { deps, body, note } = call;
  const { user, session, token } = await ownSession(call);
  const { name, email, password } = body;
  if (password !== undefined || changesEmail(user, body)) await requirePassword(call, user, session);
  const password_hash = password === undefined ? undefined : await hashPassword(password);
  const patch = { ...given({ name, email, password_hash }), keep_session_id: session.id };
  const updated = await deps.users.updateUser(user.id, patch, note);
  if (updated === null) throw notFound("user", user.id);
  return await showSession(call, updated, session, token);
}

/** Asks for the current password where it is needed. */
async function requirePassword(
  { deps, body }: ConsoleCall<UpdateMe>,
  user: UserRecord,
  session: SessionRecord,
): Promise<void> {
  if (!needsPassword(user, session, deps.clock.now_ms())) return;
  // Counted for this session alone: whoever guesses elsewhere does not make its user wait.
  const sign_in = { email: user.email, address: null, browser: `session ${session.id}` };
  const { limits } = deps.sign_in;
  const hash = await deps.users.findPasswordHash(user.id);
  if (await limits.attempt(sign_in, () => verifyPassword(body.current_password ?? "", hash)))
    return await limits.succeeded(sign_in);
  const found = body.current_password === undefined ? "missing" : "not your password";
  throw invalidRequest(`'current_password' is ${found}; allowed: the password that you have now.`, "current_password");
}

async function addIdentity(call: ConsoleCall<unknown, OidcQuery>): Promise<ConsoleAnswer> {
  const { user } = await ownSession(call);
  try {
    const { location, cookies } = await beginOidc(call, safeReturn(call.query.return), user.id);
    return { status: 200, body: { location }, cookies };
  } catch (thrown) {
    throw thrown instanceof OidcUnavailable ? unreachable() : thrown;
  }
}

function unreachable(): ConsoleError {
  return new ConsoleError("provider_unavailable", "The provider cannot be reached. Try again.");
}

function showPasskey(passkey: PasskeyRecord): Passkey {
  return {
    id: passkey.id,
    name: passkey.name,
    created_at: showTime(passkey.created_ms),
    last_used_at: passkey.last_used_ms === null ? null : showTime(passkey.last_used_ms),
    backed_up: passkey.backed_up,
  };
}

function showOpenSession(session: SessionRecord, current: boolean): OpenSession {
  return {
    id: session.id,
    current,
    method: session.method,
    address: session.address,
    user_agent: session.user_agent,
    created_at: showTime(session.created_ms),
    last_seen_at: showTime(session.last_seen_ms),
    expires_at: showTime(session.expires_ms),
  };
}
