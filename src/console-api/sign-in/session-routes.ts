import {
  type LinkLook,
  LinkSignIn,
  LookAtLink,
  PasskeySignIn,
  PasswordSignIn,
  type SignInMethods,
} from "../../../contract/session.ts";
import { hasPasskeys, readPasskeyAnswer, requestOptions } from "../../access/console/passkeys.ts";
import { hashPassword, verifyPassword } from "../../access/console/passwords.ts";
import { hashToken } from "../../access/console/tokens.ts";
import { TooManyTries } from "../../access/console/try-limits.ts";
import { newId } from "../../core/ids.ts";
import { ConsoleError } from "../answer/console-error.ts";
import { oidcRoutes } from "./oidc-routes.ts";
import { type Call, type ConsoleAnswer, route } from "../answer/route.ts";
import { beginSession, ownSession, recordRefusal, showSession, signedIn } from "./signed-in.ts";
import { cookie, SESSION_COOKIE } from "../answer/visit.ts";

const ONLY_LOOKS = { none: "it changes nothing that stays" };

export const sessionRoutes = [
  route({ method: "GET", path: "/session/methods", role: "public", handle: listMethods }),
  route({
    method: "GET",
    path: "/session",
    role: "member",
    handle: async (call) => {
      const { user, session, token } = await ownSession(call);
      return { status: 200, body: showSession(call, user, session, token) };
    },
  }),
  route({ method: "DELETE", path: "/session", role: "member", audit: "session.close", handle: signOut }),
  route({
    method: "POST",
    path: "/session/password",
    role: "public",
    audit: "session.open",
    body: PasswordSignIn,
    handle: signInByPassword,
  }),
  route({
    method: "POST",
    path: "/session/link/look",
    role: "public",
    audit: ONLY_LOOKS,
    body: LookAtLink,
    handle: async (call) => ({ status: 200, body: await lookAtLink(call) }),
  }),
  route({
    method: "POST",
    path: "/session/link",
    role: "public",
    audit: "session.open",
    body: LinkSignIn,
    handle: signInByLink,
  }),
  route({
    method: "POST",
    path: "/session/passkey/options",
    role: "public",
    audit: ONLY_LOOKS,
    handle: async (call) => {
      await call.deps.sign_in.limits.count("start", addressOf(call));
      return { status: 200, body: await requestOptions(call.deps.users, call.visit) };
    },
  }),
  route({
    method: "POST",
    path: "/session/passkey",
    role: "public",
    audit: "session.open",
    body: PasskeySignIn,
    handle: signInByPasskey,
  }),
  ...oidcRoutes,
];

async function listMethods({ deps, visit }: Call<unknown, unknown>): Promise<ConsoleAnswer> {
  const { settings, version } = deps.sign_in;
  const body: SignInMethods = {
    password: true,
    passkeys: hasPasskeys(visit),
    oidc: settings.oidc.map(({ id, name }) => ({ id, name })),
    currency: deps.configuration.currency,
    version,
  };
  return { status: 200, body };
}

async function signOut(call: Call<unknown, unknown>): Promise<ConsoleAnswer> {
  const { user, session } = await ownSession(call);
  await call.deps.users.endSession(user.id, session.id, call.note);
  const gone = cookie(call.visit, { name: SESSION_COOKIE, value: "", path: "/console", max_age_s: 0 });
  return { status: 200, body: { id: session.id, deleted: true }, cookies: [gone] };
}

/** Gives an unknown e-mail, a wrong password and a disabled user the same answer after the same time. */
async function signInByPassword(call: Call<PasswordSignIn, unknown>): Promise<ConsoleAnswer> {
  const { deps, body } = call;
  const { users, sign_in } = deps;
  // The store also finds users by id, but nobody signs in with an id.
  const email = body.email.includes("@") ? body.email : "nobody@";
  await countGuess(call, email);
  const [user, hash] = await Promise.all([users.findUser(email), users.findPasswordHash(email)]);
  const matches = await verifyPassword(body.password, hash);
  const { token, session } = beginSession(call, "password");
  const opened = matches && user ? await users.openSession(user.id, session, call.note) : null;
  if (opened === null) {
    await recordRefusal(call, user?.id ?? null, user?.account_id ?? null, { method: "password", email });
    throw new ConsoleError("invalid_credentials", "The e-mail or the password is wrong.");
  }
  await sign_in.limits.forget("email", email);
  return signedIn(call, opened, token);
}

/** Records the first guess over the limit in the audit log: somebody is guessing passwords. */
async function countGuess(call: Call<PasswordSignIn, unknown>, email: string): Promise<void> {
  const { limits } = call.deps.sign_in;
  try {
    await limits.count("address", addressOf(call));
    await limits.count("email", email);
  } catch (thrown) {
    const facts = { method: "password", email, reason: "too_many_tries" };
    if (thrown instanceof TooManyTries && thrown.is_first) await recordRefusal(call, null, null, facts);
    throw thrown;
  }
}

async function lookAtLink(call: Call<LookAtLink, unknown>): Promise<LinkLook> {
  const { deps, body } = call;
  await deps.sign_in.limits.count("start", addressOf(call));
  const link = await deps.users.findLink(hashToken(deps.keys, "link", body.token));
  if (link === null) throw linkExpired();
  const { purpose, email, role, expires_ms } = link;
  return { purpose, email, role, expires_at: new Date(expires_ms).toISOString() };
}

async function signInByLink(call: Call<LinkSignIn, unknown>): Promise<ConsoleAnswer> {
  const { deps, body } = call;
  await deps.sign_in.limits.count("start", addressOf(call));
  const token_hash = hashToken(deps.keys, "link", body.token);
  // Hashing a password is expensive, so it is done only for links that exist.
  if ((await deps.users.findLink(token_hash)) === null) throw linkExpired();
  const password_hash = body.password === undefined ? null : await hashPassword(body.password);
  const { token, session } = beginSession(call, "link");
  const new_user_id = newId("user");
  const new_account_id = newId("acct");
  const spending = { token_hash, name: body.name ?? null, password_hash, new_user_id, new_account_id, session };
  const opened = await deps.users.spendLink(spending, call.note);
  if (opened === null) throw linkExpired();
  return signedIn(call, opened, token, { purpose: opened.purpose });
}

async function signInByPasskey(call: Call<PasskeySignIn, unknown>): Promise<ConsoleAnswer> {
  const { users, sign_in } = call.deps;
  await sign_in.limits.count("address", addressOf(call));
  try {
    const user_id = await readPasskeyAnswer(users, call.body);
    const { token, session } = beginSession(call, "passkey");
    const opened = await users.openSession(user_id, session, call.note);
    if (opened === null) throw new ConsoleError("invalid_credentials", "This passkey cannot sign in.");
    return signedIn(call, opened, token);
  } catch (thrown) {
    await recordRefusal(call, null, null, { method: "passkey" });
    throw thrown;
  }
}

/** The address that a caller's tries count against. Callers without a known address count together. */
export function addressOf({ visit }: Call<unknown, unknown>): string {
  return visit.address ?? "unknown";
}

function linkExpired(): ConsoleError {
  return new ConsoleError(
    "link_expired",
    "This link was used before, has expired or was withdrawn. Ask for a new one.",
  );
}
