import {
  AskForReset,
  type LinkLook,
  LinkSignIn,
  LookAtLink,
  PasskeySignIn,
  PasswordSignIn,
  type SignInMethods,
} from "../../../contract/session.ts";
import { knownBrowser } from "../../access/console/known-browser.ts";
import { hasPasskeys, readPasskeyAnswer, requestOptions } from "../../access/console/passkeys.ts";
import { hashPassword, verifyPassword } from "../../access/console/passwords.ts";
import { hashToken } from "../../access/console/tokens.ts";
import { type PasswordTry, TooManyTries } from "../../access/console/try-limits.ts";
import type { ConsoleAnswer } from "../../core/answer/console-exchange.ts";
import { GatewayError } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import { ASKED_RESET_LIFE_MS } from "../../people/links/link-lives.ts";
import { ConsoleError } from "../answer/console-error.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { showTime } from "../show/show.ts";
import { oidcRoutes } from "./oidc-routes.ts";
import { beginSession, endedSessionCookie, ownSession, recordRefusal, showSession, signedIn } from "./signed-in.ts";

/** A user who forgot the password asks for a link by mail. */
const askForResetRoute = route("POST /session/password-reset", "public", {
  audit: { none: "the link is written down when it is made, for a user who is there" },
  body: AskForReset,
  handle: askForReset,
});

/**
 * Queues the mail without looking for a user: every caller gets the same answer, by the same work (docs/rulings.md 224). Where an e-mail has
 * got as many mails as it may, no further one is sent, and the answer is the same.
 */
async function askForReset({ deps, body, visit }: ConsoleCall<AskForReset>): Promise<ConsoleAnswer> {
  const { mail } = deps;
  if (mail === undefined) {
    throw new GatewayError("not_found", "This gateway sends no mail. Ask an administrator for a password-reset link.");
  }
  const wait_ms = await mail.limits.waitOfAsking(visit.address);
  if (wait_ms > 0) {
    throw new GatewayError(
      "rate_limit_exceeded",
      "Too many password resets were asked for from here. Try again later.",
      { retry_after_ms: wait_ms, headers: { "retry-after": String(Math.ceil(wait_ms / 1000)) } },
    );
  }
  const email = body.email.trim();
  const wish = { id: newId("link"), kind: "password-reset", recipient: email, asked_from: visit.address } as const;
  if (await mail.limits.mayMailReset(email)) await deps.deliveries.addLetter({ ...wish, ttl_ms: ASKED_RESET_LIFE_MS });
  mail.wake();
  return { status: 202, body: { asked: true } };
}

const ONLY_LOOKS = { none: "it changes nothing that stays" };

export const sessionRoutes = [
  route("GET /session/methods", "public", { show: listMethods }),
  route("GET /session", "member", {
    show: async (call) => {
      const { user, session, token } = await ownSession(call);
      return showSession(call, user, session, token);
    },
  }),
  route("DELETE /session", "member", { audit: "session.close", handle: signOut }),
  route("POST /session/password", "public", { audit: "session.open", body: PasswordSignIn, handle: signInByPassword }),
  askForResetRoute,
  route("POST /session/link/look", "public", { audit: ONLY_LOOKS, body: LookAtLink, show: lookAtLink }),
  route("POST /session/link", "public", { audit: "session.open", body: LinkSignIn, handle: signInByLink }),
  route("POST /session/passkey/options", "public", {
    audit: ONLY_LOOKS,
    show: ({ deps, visit }) => requestOptions(deps.keys, visit, deps.clock.now_ms()),
  }),
  route("POST /session/passkey", "public", { audit: "session.open", body: PasskeySignIn, handle: signInByPasskey }),
  ...oidcRoutes,
];

async function listMethods({ deps, visit }: ConsoleCall): Promise<SignInMethods> {
  const { settings, version } = deps.sign_in;
  return {
    password: true,
    passkeys: hasPasskeys(visit),
    oidc: settings.oidc.map(({ id, name }) => ({ id, name })),
    contact: settings.contact ?? null,
    mail: deps.mail !== undefined,
    currency: deps.configuration.currency,
    version,
    guide: await deps.sign_in.hasGuide(),
  };
}

async function signOut(call: ConsoleCall): Promise<ConsoleAnswer> {
  const { user, session } = await ownSession(call);
  await call.deps.users.endSession(user.id, session.id, call.note);
  return { status: 200, body: { id: session.id, deleted: true }, cookies: [endedSessionCookie(call.visit)] };
}

/** Checks the password when its turn comes. A try that has to wait is a 429, and is not made (docs/rulings.md 116). */
async function signInByPassword(call: ConsoleCall<PasswordSignIn>): Promise<ConsoleAnswer> {
  const { deps, body, visit } = call;
  // The store also finds users by id, but nobody signs in with an id.
  const email = body.email.includes("@") ? body.email : "nobody@";
  const sign_in = { email, address: visit.address, browser: knownBrowser(deps.keys, visit.browser_token, email) };
  const { limits } = deps.sign_in;
  const answer = await limits
    .attempt(sign_in, (taken) => tryPassword(call, email, taken))
    .catch((thrown: unknown) => {
      if (thrown instanceof TooManyTries) deps.sign_in.refused("password");
      throw thrown;
    });
  if (answer !== null) {
    await limits.succeeded(sign_in);
    return answer;
  }
  await limits.failed(sign_in);
  throw new ConsoleError("invalid_credentials", "The e-mail or the password is wrong.");
}

/** Treats an unknown e-mail, a wrong password and a disabled user alike, in the same time. Null: refused. */
async function tryPassword(
  call: ConsoleCall<PasswordSignIn>,
  email: string,
  { is_last_free }: PasswordTry,
): Promise<ConsoleAnswer | null> {
  const { users } = call.deps;
  const [user, hash] = await Promise.all([users.findUser(email), users.findPasswordHash(email)]);
  const matches = await verifyPassword(call.body.password, hash);
  const { token, session } = beginSession(call, "password");
  const opened = matches && user ? await users.openSession(user.id, session, call.note) : null;
  if (opened !== null) return signedIn(call, opened, token);
  // The last wrong password before waits begin: it is a guess.
  const reason = is_last_free ? { reason: "too_many_tries" } : {};
  await recordRefusal(call, user?.id ?? null, user?.account_id ?? null, { method: "password", email, ...reason });
  return null;
}

async function lookAtLink(call: ConsoleCall<LookAtLink>): Promise<LinkLook> {
  const { deps, body } = call;
  const link = await deps.users.findLink(hashToken(deps.keys, "link", body.token));
  if (link === null) throw linkExpired(call);
  const { purpose, email, role, account_id, account_role, credit_micro, project_id, expires_ms } = link;
  const [account, user, project] = await Promise.all([
    account_id === null || purpose !== "invitation" ? null : deps.accounts.findAccount(account_id),
    email === null ? null : deps.users.findUser(email),
    project_id === null ? null : deps.accounts.findProject(project_id),
  ]);
  const name = project?.name ?? null;
  const shown = account && { name: account.name || account.email, role: account_role, project: name };
  const expires_at = showTime(expires_ms);
  const credit = {
    credit_micro: credit_micro === null ? null : Number(credit_micro),
    currency: deps.configuration.currency,
  };
  return { purpose, email, role, account: shown, has_user: user !== null, ...credit, expires_at };
}

/** Links are not slowed down, as their tokens cannot be guessed: strangers cannot keep anybody from using a link. */
async function signInByLink(call: ConsoleCall<LinkSignIn>): Promise<ConsoleAnswer> {
  const { deps, body } = call;
  const token_hash = hashToken(deps.keys, "link", body.token);
  // Hashing a password is expensive, so it is done only for links that exist.
  if ((await deps.users.findLink(token_hash)) === null) throw linkExpired(call);
  const password_hash = body.password === undefined ? null : await hashPassword(body.password);
  const { token, session } = beginSession(call, "link");
  const new_user_id = newId("user");
  const new_account_id = newId("acct");
  const spending = { token_hash, name: body.name ?? null, password_hash, new_user_id, new_account_id, session };
  const opened = await deps.users.spendLink(spending, call.note);
  if (opened === null) throw linkExpired(call);
  return signedIn(call, opened, token, { purpose: opened.purpose });
}

/** Passkeys are not slowed down, like links; only the record of refusals is bounded. */
async function signInByPasskey(call: ConsoleCall<PasskeySignIn>): Promise<ConsoleAnswer> {
  const { users, keys, clock } = call.deps;
  try {
    const user_id = await readPasskeyAnswer(users, call.body, keys, clock.now_ms());
    const { token, session } = beginSession(call, "passkey");
    const opened = await users.openSession(user_id, session, call.note);
    if (opened === null) throw new ConsoleError("invalid_credentials", "This passkey cannot sign in.");
    return signedIn(call, opened, token);
  } catch (thrown) {
    await recordRefusal(call, null, null, { method: "passkey" });
    throw thrown;
  }
}

function linkExpired({ deps }: ConsoleCall): ConsoleError {
  deps.sign_in.refused("link");
  return new ConsoleError(
    "link_expired",
    "This link was used before, has expired or was withdrawn. Ask for a new one.",
  );
}
