import { timingSafeEqual } from "node:crypto";
import { randomBase62 } from "../../core/ids.ts";
import type { SubKeys } from "../sub-keys.ts";
import { browserMac } from "./tokens.ts";

/**
 * A browser in which somebody has signed in has a cookie that says so. Guesses of strangers, at whatever address, do not
 * make the owner wait there. The cookie signs nobody in: it only has wrong passwords counted by themselves.
 */

const ID_LENGTH = 22;

/** The cookie's value for a browser in which the user of this e-mail has just signed in. */
export function markBrowser(keys: SubKeys, email: string): string {
  const id = randomBase62(ID_LENGTH);
  return `${id}.${browserMac(keys, id, email).toString("base64url")}`;
}

/** The browser's id where the user of this e-mail has signed in there before; else null. */
export function knownBrowser(keys: SubKeys, cookie: string | null, email: string): string | null {
  if (cookie === null) return null;
  const id = cookie.slice(0, ID_LENGTH);
  const expected = browserMac(keys, id, email);
  const found = Buffer.from(cookie.slice(ID_LENGTH + 1), "base64url");
  return found.length === expected.length && timingSafeEqual(found, expected) ? id : null;
}
