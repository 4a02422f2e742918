import { timingSafeEqual } from "node:crypto";
import { randomBase62 } from "../../core/ids.ts";
import type { SubKeys } from "../sub-keys.ts";

/** 43 characters of base 62 are 256 bits that nobody can guess. */
const TOKEN_LENGTH = 43;

/** A secret that a browser or a person holds: a session's cookie, a sign-in link, a sign-in that is under way. */
export function newToken(): string {
  return randomBase62(TOKEN_LENGTH);
}

export type TokenUse = "session" | "link" | "challenge";

/** The keyed hash under which a token is stored: a stolen table signs nobody in. */
export function hashToken(keys: SubKeys, use: TokenUse, token: string): string {
  return `v1:${mac(keys, `${use}:${token}`).toString("hex")}`;
}

/**
 * What a page must send beside the session's cookie. It follows from the session's token, so it needs no place of its own;
 * another site can make a browser send the cookie, but cannot read this.
 */
export function csrfToken(keys: SubKeys, session_token: string): string {
  return mac(keys, `csrf:${session_token}`).toString("base64url");
}

/** Whether a page sent its session's token; compared in constant time. */
export function isCsrfToken(keys: SubKeys, session_token: string, found: string): boolean {
  const expected = Buffer.from(csrfToken(keys, session_token));
  const given = Buffer.from(found);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** A name for something that is not stored itself, such as the e-mail that tries are counted for. */
export function hiddenName(keys: SubKeys, text: string): string {
  return mac(keys, `name:${text}`).toString("base64url").slice(0, 22);
}

function mac(keys: SubKeys, text: string): Buffer {
  return new Bun.CryptoHasher("sha256", keys.session).update(text).digest();
}
