import type { ClientHeaders } from "../core/answer/exchange.ts";
import { detachedText } from "../core/texts.ts";
import { PresentedKey } from "./authenticator.ts";
import { type CredentialPolicy, readCredential } from "./read-credential.ts";

/** A connection's place for what was read of its last request, for as long as the connection lasts. */
export interface ConnectionSlot {
  remembered: object | null;
}

/** The headers that may hold a key, as they were sent. */
interface SentKeys {
  readonly authorization: string | null;
  readonly api_key: string | null;
  readonly google_key: string | null;
}

/** A key with the headers that it was read from. */
class LastKey implements SentKeys {
  readonly policy: CredentialPolicy;
  readonly authorization: string | null;
  readonly api_key: string | null;
  readonly google_key: string | null;
  readonly presented: PresentedKey;

  constructor(policy: CredentialPolicy, sent: SentKeys, presented: PresentedKey) {
    this.policy = policy;
    this.authorization = detached(sent.authorization);
    this.api_key = detached(sent.api_key);
    this.google_key = detached(sent.google_key);
    this.presented = presented;
  }
}

/** Longer headers are no keys of this gateway: they are refused, and not kept. */
const MOST_KEPT_LENGTH = 256;

/**
 * The key that a request presents. Most requests of a connection repeat the headers of the one before: their key is
 * neither read nor digested again. Throws the 401 of `readCredential`, of which nothing is remembered.
 */
export function readPresentedKey(headers: ClientHeaders, policy: CredentialPolicy, slot: ConnectionSlot): PresentedKey {
  const authorization = headers.get("authorization");
  const api_key = headers.get("x-api-key");
  const google_key = policy === "google" ? headers.get("x-goog-api-key") : null;
  const last = slot.remembered;
  if (
    last instanceof LastKey &&
    last.policy === policy &&
    last.authorization === authorization &&
    last.api_key === api_key &&
    last.google_key === google_key
  )
    return last.presented;
  const credential = readCredential(headers, policy);
  if (tooLong(authorization) || tooLong(api_key) || tooLong(google_key)) return new PresentedKey(credential);
  // The headers are parts of the head's text, which would stay in memory with them.
  const presented = new PresentedKey(detachedText(credential));
  slot.remembered = new LastKey(policy, { authorization, api_key, google_key }, presented);
  return presented;
}

function tooLong(header: string | null): boolean {
  return header !== null && header.length > MOST_KEPT_LENGTH;
}

function detached(header: string | null): string | null {
  return header === null ? null : detachedText(header);
}
