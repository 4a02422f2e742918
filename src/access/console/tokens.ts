import { timingSafeEqual } from "node:crypto";
import { type DrawText, randomBase62 } from "../../core/ids.ts";
import type { SubKeys } from "../sub-keys.ts";

/** 43 random characters of base 62 have 256 bits. */
const TOKEN_LENGTH = 43;

/** A new secret for a browser or a person: a session's cookie, a sign-in link. */
export function newToken(draw: DrawText = randomBase62): string {
  return draw(TOKEN_LENGTH);
}

/**
 * The token of a link, which follows from its id: a queued mail need not store it. The id alone does not reveal it. In hexadecimal digits, as mail
 * programs end an address before some other characters.
 */
export function linkToken(keys: SubKeys, link_id: string): string {
  return mac(keys, `link token:${link_id}`).toString("hex");
}

/** A link's address. The token is in the fragment, which browsers do not send, so no server's log contains it. */
export function linkAddress(origin: string, token: string): string {
  return `${origin}/console/sign-in#token=${token}`;
}

export type TokenUse = "session" | "link";

/** Eight digits that say which gateway a cookie is of; every node of a gateway has the same, and they tell nothing of its secret. */
export function gatewayMark(keys: SubKeys): string {
  return mac(keys, "cookie names").toString("hex").slice(0, 8);
}

/** The keyed hash under which a token is stored: a stolen table lets nobody sign in. */
export function hashToken(keys: SubKeys, use: TokenUse, token: string): string {
  return `v1:${mac(keys, `${use}:${token}`).toString("hex")}`;
}

/**
 * The token that a page must send beside the session's cookie. It is derived from the session's token, so it need not
 * be stored. Another site can make a browser send the cookie, but cannot read this token.
 */
export function csrfToken(keys: SubKeys, session_token: string): string {
  return mac(keys, `csrf:${session_token}`).toString("base64url");
}

/** Whether a page sent the token of its session; compared in constant time. */
export function isCsrfToken(keys: SubKeys, session_token: string, found: string): boolean {
  const expected = Buffer.from(csrfToken(keys, session_token));
  const given = Buffer.from(found);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** A keyed hash of a text that must not be stored, such as the e-mail for which tries are counted. */
export function keyedHash(keys: SubKeys, text: string): string {
  return mac(keys, `name:${text}`).toString("base64url").slice(0, 22);
}

export function ticketMac(keys: SubKeys, use: string, text: string): Buffer {
  return mac(keys, `ticket:${use}:${text}`);
}

/** The signature of a browser's id for the user of an e-mail (known-browser.ts). */
export function browserMac(keys: SubKeys, id: string, email: string): Buffer {
  return mac(keys, `browser:${id}:${email.trim().toLowerCase()}`);
}

/** The bytes of a block of texts that are drawn for a seed (drawn-texts.ts). */
export function drawMac(keys: SubKeys, block: number, seed: string): Buffer {
  return mac(keys, `draw:${block}:${seed}`);
}

function mac(keys: SubKeys, text: string): Buffer {
  return new Bun.CryptoHasher("sha256", keys.session).update(text).digest();
}
