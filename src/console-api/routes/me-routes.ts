import {
  AddPasskey,
  OidcQuery,
  type OpenSession,
  type Passkey,
  type PasskeyList,
  type SessionList,
  UpdateMe,
} from "../../../contract/session.ts";
import { OidcUnavailable } from "../../access/console/oidc-flow.ts";
import { creationOptions, readNewPasskey } from "../../access/console/passkeys.ts";
import { hashPassword, verifyPassword } from "../../access/console/passwords.ts";
import type { ConsoleAnswer } from "../../core/console-exchange.ts";
import { invalidRequest } from "../../core/errors.ts";
import type { PasskeyRecord, SessionRecord, UserRecord } from "../../core/people/users.ts";
import { needsPassword } from "../../people/sign-in/session-life.ts";
import { changesEmail } from "../../people/users/change-user.ts";
import { ConsoleError } from "../answer/console-error.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound } from "../answer/scope.ts";
import { beginOidc } from "../sign-in/oidc-routes.ts";
import { safeReturn } from "../sign-in/safe-return.ts";
import { ownSession, showSession } from "../sign-in/signed-in.ts";

/** Each user's own settings, passkeys and sessions, reached through the session and never by a user's id. */
export const meRoutes = [
  route("PATCH /me", "member", { audit: "user.update", body: UpdateMe, handle: updateMe }),
  route("GET /me/passkeys", "member", {
    handle: async (call) => {
      const { user } = await ownSession(call);
      const passkeys = await call.deps.users.listPasskeys(user.id);
      const body: PasskeyList = { object: "list", data: passkeys.map(showPasskey) };
      return { status: 200, body };
    },
  }),
  route("POST /me/passkeys/options", "member", {
    audit: { none: "a challenge is soon over" },
    handle: async (call) => {
      const { user } = await ownSession(call);
      return { status: 200, body: await creationOptions(call.deps.users, user, call.visit) };
    },
  }),
  route("POST /me/passkeys", "member", {
    audit: "passkey.add",
    body: AddPasskey,
    handle: async (call) => {
      const { user } = await ownSession(call);
      const made = await readNewPasskey(call.deps.users, user, { ...call.body, name: call.body.name ?? "" });
      return { status: 201, body: showPasskey(await call.deps.users.addPasskey(made, call.note)) };
    },
  }),
  route("DELETE /me/passkeys/{passkey}", "member", {
    audit: "passkey.remove",
    handle: async (call) => {
      const { user } = await ownSession(call);
      const id = call.params.passkey ?? "";
      if (!(await call.deps.users.deletePasskey(user.id, id, call.note))) throw notFound("passkey", id);
      return { status: 200, body: { id, deleted: true } };
    },
  }),
  route("POST /me/identities/{provider}", "member", {
    audit: { none: "the identity is added when the provider has answered" },
    query: OidcQuery,
    handle: addIdentity,
  }),
  route("DELETE /me/identities/{provider}", "member", {
    audit: "identity.remove",
    handle: async (call) => {
      const { user } = await ownSession(call);
      const id = call.params.provider ?? "";
      if (!(await call.deps.users.deleteIdentity(user.id, id, call.note))) throw notFound("provider", id);
      return { status: 200, body: { id, deleted: true } };
    },
  }),
  route("GET /me/sessions", "member", {
    handle: async (call) => {
      const { user, session } = await ownSession(call);
      const sessions = await call.deps.users.listSessions(user.id);
      const data = sessions.map((each) => showOpenSession(each, each.id === session.id));
      const body: SessionList = { object: "list", data };
      return { status: 200, body };
    },
  }),
  route("DELETE /me/sessions/{session}", "member", {
    audit: "session.close",
    handle: async (call) => {
      const { user } = await ownSession(call);
      const id = call.params.session ?? "";
      if (!(await call.deps.users.endSession(user.id, id, call.note))) throw notFound("session", id);
      return { status: 200, body: { id, deleted: true } };
    },
  }),
];

async function updateMe(call: ConsoleCall<UpdateMe>): Promise<ConsoleAnswer> {
  const { deps, body, note } = call;
  const { user, session, token } = await ownSession(call);
  const { name, email, password } = body;
  if (password !== undefined || changesEmail(user, body)) await requirePassword(call, user, session);
  const password_hash = password === undefined ? {} : { password_hash: await hashPassword(password) };
  const patch = {
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email }),
    ...password_hash,
    keep_session_id: session.id,
  };
  const updated = await deps.users.updateUser(user.id, patch, note);
  if (updated === null) throw notFound("user", user.id);
  return { status: 200, body: await showSession(call, updated, session, token) };
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
    created_at: new Date(passkey.created_ms).toISOString(),
    last_used_at: passkey.last_used_ms === null ? null : new Date(passkey.last_used_ms).toISOString(),
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
    created_at: new Date(session.created_ms).toISOString(),
    last_seen_at: new Date(session.last_seen_ms).toISOString(),
    expires_at: new Date(session.expires_ms).toISOString(),
  };
}
