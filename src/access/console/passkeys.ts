import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { GatewayError } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import type { NewPasskey, PasskeyRecord, UserRecord, UserStore } from "../../core/people/users.ts";
import type { SubKeys } from "../sub-keys.ts";
import { readTicket, spendTicket, writeTicket } from "./tickets.ts";

/** The console's site: `origin` as the browser sends it. */
export interface ConsoleSite {
  readonly origin: string;
}

export interface PasskeyChallenge {
  readonly challenge_id: string;
  readonly options: Record<string, unknown>;
}

/** Loaded at the first use of a passkey: a gateway without passkeys need not hold the library in memory. */
const webAuthn = () => import("@simplewebauthn/server");

const RP_NAME = "Camino";
const CHALLENGE_TTL_MS = 5 * 60_000;
const MAX_NAME = 200;

/** The challenge that was sent: an answer is checked against it, not against values in the answer. */
interface SentChallenge {
  readonly challenge: string;
  readonly origin: string;
  readonly rp_id: string;
}

/** A stored challenge for a new passkey of a user. */
interface StoredChallenge extends SentChallenge {
  readonly user_id: string;
}

/** Whether browsers support passkeys for this site: for host names and localhost, not for bare addresses. */
export function hasPasskeys({ origin }: ConsoleSite): boolean {
  const { hostname } = new URL(origin);
  return !hostname.startsWith("[") && !/^[\d.]+$/.test(hostname);
}

/** Options for creating a passkey that signs in without a typed name. */
export async function creationOptions(
  users: UserStore,
  user: UserRecord,
  site: ConsoleSite,
): Promise<PasskeyChallenge> {
  const rp_id = rpIdOf(site);
  const known = await users.listPasskeys(user.id);
  const { generateRegistrationOptions } = await webAuthn();
  const options = await generateRegistrationOptions({
    rpName: RP_NAME,
    rpID: rp_id,
    userID: new TextEncoder().encode(user.id),
    userName: user.email,
    userDisplayName: user.name || user.email,
    excludeCredentials: known.map(({ credential_id, transports }) => ({
      id: credential_id,
      transports: [...transports],
    })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  const kept = { challenge: options.challenge, origin: site.origin, rp_id, user_id: user.id };
  return { challenge_id: await keep(users, "passkey-creation", kept), options: { ...options } };
}

/** Checks a new passkey. Throws a 400 when it does not answer the challenge. */
export async function readNewPasskey(
  users: UserStore,
  user: UserRecord,
  answer: { readonly challenge_id: string; readonly name: string; readonly response: object },
): Promise<NewPasskey> {
  const kept = await take(users, "passkey-creation", answer.challenge_id);
  if (kept.user_id !== user.id) throw expired();
  const response = answer.response as RegistrationResponseJSON;
  const { verifyRegistrationResponse } = await webAuthn();
  const verified = await judge(() =>
    verifyRegistrationResponse({
      response,
      expectedChallenge: kept.challenge,
      expectedOrigin: kept.origin,
      expectedRPID: kept.rp_id,
      requireUserVerification: true,
    }),
  );
  if (!verified.verified) throw notVerified();
  const { credential, credentialBackedUp } = verified.registrationInfo;
  return {
    id: newId("pass"),
    user_id: user.id,
    name: answer.name.slice(0, MAX_NAME) || "Passkey",
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey).toString("base64url"),
    counter: credential.counter,
    transports: transportsIn(credential.transports),
    backed_up: credentialBackedUp,
  };
}

/** The library takes what the browser says of its transports unread: what is no text of a list is left out. */
function transportsIn(told: unknown): NewPasskey["transports"] {
  return Array.isArray(told) ? told.filter((each): each is string => typeof each === "string") : [];
}

/**
 * Options for signing in with any passkey of this site. The challenge is not stored but signed, as anybody may ask for it
 * without end.
 */
export async function requestOptions(keys: SubKeys, site: ConsoleSite, now_ms: number): Promise<PasskeyChallenge> {
  const rp_id = rpIdOf(site);
  const { generateAuthenticationOptions } = await webAuthn();
  const options = await generateAuthenticationOptions({ rpID: rp_id, userVerification: "required" });
  const asked: SentChallenge = { challenge: options.challenge, origin: site.origin, rp_id };
  const challenge_id = writeTicket(keys, "passkey", asked, { now_ms, ttl_ms: CHALLENGE_TTL_MS });
  return { challenge_id, options: { ...options } };
}

/**
 * The user of the passkey that answered. Throws one and the same 400 for every fault: an unknown passkey, a wrong
 * signature, a counter that went backwards (a copied authenticator), an answer that was already used.
 */
export async function readPasskeyAnswer(
  users: UserStore,
  answer: { readonly challenge_id: string; readonly response: object },
  keys: SubKeys,
  now_ms: number,
): Promise<string> {
  const ticket = readTicket<SentChallenge>(keys, "passkey", answer.challenge_id, now_ms);
  if (ticket === null) throw expired();
  const asked = ticket.data;
  const response = answer.response as AuthenticationResponseJSON;
  const passkey = typeof response.id === "string" ? await users.findPasskey(response.id) : null;
  if (passkey === null) throw notKnown();
  const { verifyAuthenticationResponse } = await webAuthn();
  const { verified, authenticationInfo } = await judge(() =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge: asked.challenge,
      expectedOrigin: asked.origin,
      expectedRPID: asked.rp_id,
      credential: credentialOf(passkey),
      requireUserVerification: true,
    }),
  );
  if (!verified) throw notKnown();
  if (!(await spendTicket(users, ticket))) throw expired();
  const { newCounter, credentialBackedUp } = authenticationInfo;
  const moved = await users.recordPasskeyUse(passkey.credential_id, passkey.counter, newCounter, credentialBackedUp);
  if (!moved) throw notKnown();
  return passkey.user_id;
}

function credentialOf({ credential_id, public_key, counter, transports }: PasskeyRecord) {
  return {
    id: credential_id,
    publicKey: new Uint8Array(Buffer.from(public_key, "base64url")),
    counter,
    transports: [...transports],
  };
}

function rpIdOf(site: ConsoleSite): string {
  if (hasPasskeys(site)) return new URL(site.origin).hostname;
  throw new GatewayError(
    "invalid_request",
    `Browsers have no passkeys for ${new URL(site.origin).host}: open the console by a host name, such as localhost.`,
  );
}

async function keep(users: UserStore, kind: string, kept: StoredChallenge): Promise<string> {
  const id = newId("chal");
  await users.putChallenge({ id, kind, data: JSON.stringify(kept), ttl_ms: CHALLENGE_TTL_MS });
  return id;
}

async function take(users: UserStore, kind: string, id: string): Promise<StoredChallenge> {
  const data = await users.takeChallenge(id, kind);
  if (data === null) throw expired();
  return JSON.parse(data) as StoredChallenge;
}

/** Runs the library's check; it throws on malformed input, which is the browser's and becomes a 400. */
async function judge<Verdict>(verify: () => Promise<Verdict>): Promise<Verdict> {
  try {
    return await verify();
  } catch (thrown) {
    throw notAccepted(thrown);
  }
}

function notAccepted(cause: unknown): GatewayError {
  const why = cause instanceof Error ? cause.message.slice(0, 200).replace(/\.?$/, ".") : "it is malformed.";
  return new GatewayError("invalid_request", `The passkey's answer cannot be accepted: ${why}`, { cause });
}

function expired(): GatewayError {
  return new GatewayError("invalid_request", "The passkey was asked for too long ago, or answered already. Try again.");
}

function notVerified(): GatewayError {
  return new GatewayError("invalid_request", "The passkey's answer cannot be accepted.");
}

function notKnown(): GatewayError {
  return new GatewayError("invalid_request", "This passkey is not known here.");
}
