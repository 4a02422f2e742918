import { type Clock, systemClock } from "../core/clock.ts";
import { GatewayError } from "../core/errors.ts";
import type { AccountStore } from "../core/ports.ts";
import type { KeyRecord } from "../core/principal.ts";
import { checkApiKey, hashApiKey } from "./api-key.ts";
import { KeyCache } from "./key-cache.ts";
import type { SubKeys } from "./sub-keys.ts";

/** A key as it was presented, with the digest under which a checked key is remembered. */
export class PresentedKey {
  readonly credential: string;
  readonly digest: string;

  constructor(credential: string) {
    this.credential = credential;
    this.digest = digestOf(credential);
  }
}

/** Who is calling, from the key that was presented. Both doors throw the 401 codes of docs/api.md 5. */
export interface Authenticator {
  /** Reads the key from the database: for whatever no admission follows (account views, token counting). */
  authenticate(credential: string): Promise<KeyRecord>;
  /**
   * May answer from memory, at once: only for requests that go through admission, which compares the record's `version`
   * in its own transaction, so that a remembered record can never admit (docs/rulings.md 21).
   */
  lookup(presented: PresentedKey): KeyRecord | Promise<KeyRecord>;
  /** Drops a remembered record: admission found it stale, or it was just changed here. */
  forget(key_id: string): void;
}

export interface AuthenticatorDeps {
  readonly keys: SubKeys;
  readonly accounts: Pick<AccountStore, "findKeyByHash">;
  readonly clock?: Clock;
  /** How many records are remembered at most, about 1 KB each. */
  readonly remembered?: number;
}

const REMEMBERED = 10_000;
/**
 * A new alias or allowed model must be seen soon, though the request that needs it never reaches admission, where a
 * changed key is noticed.
 */
const REMEMBERED_MS = 5_000;

export function createAuthenticator({
  keys,
  accounts,
  clock = systemClock,
  remembered,
}: AuthenticatorDeps): Authenticator {
  const cache = new KeyCache(remembered ?? REMEMBERED, REMEMBERED_MS);

  async function read(credential: string, digest: string): Promise<KeyRecord> {
    if (!checkApiKey(keys, credential)) throw unknownKey();
    const record = await accounts.findKeyByHash(hashApiKey(keys, credential));
    if (!record) throw unknownKey();
    requireActive(record, clock);
    // Only active records are kept: a remembered refusal would outlive the key's being enabled again.
    cache.set(digest, record, clock.monotonic_ms());
    return record;
  }

  return {
    authenticate: (credential) => read(credential, digestOf(credential)),
    lookup({ credential, digest }) {
      const record = cache.get(digest, clock.monotonic_ms());
      // A record past its expiry is read again: the expiry may have been moved.
      return record && !isExpired(record, clock) ? record : read(credential, digest);
    },
    forget: (key_id) => cache.forget(key_id),
  };
}

/**
 * What a remembered key is found by. Whoever finds one presented the very key that was checked when it was remembered, so
 * its shape, its signature and its stored hash need not be worked out again. A key's random part is far too long to be
 * guessed from a digest.
 */
function digestOf(credential: string): string {
  return Bun.SHA256.hash(credential, "hex");
}

/** Throws the 401 that an inactive key or account deserves; returns when both are active and the key has not expired. */
function requireActive(record: KeyRecord, clock: Clock): void {
  if (record.status !== "active") {
    throw new GatewayError("api_key_inactive", `This API key is ${record.status}. Use another key.`);
  }
  if (isExpired(record, clock)) {
    throw new GatewayError("api_key_inactive", "This API key has expired. Use another key.");
  }
  if (record.account_status !== "active") {
    throw new GatewayError("user_inactive", "The account of this API key is disabled.");
  }
}

/** Looks at the clock only for a key that expires: few do. */
function isExpired(record: KeyRecord, clock: Clock): boolean {
  return record.expires_ms !== null && record.expires_ms <= clock.now_ms();
}

/** One answer for every key that is not ours or not there any more, so that nothing can be learnt from it. */
function unknownKey(): GatewayError {
  return new GatewayError(
    "invalid_api_key",
    "This API key is not valid. Check that it was copied whole, or use another key.",
  );
}
