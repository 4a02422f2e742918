import { type Clock, systemClock } from "../core/clock.ts";
import { GatewayError } from "../core/errors.ts";
import type { KeyRecord, KeyVersion } from "../core/people/principal.ts";
import type { AccountStore } from "../core/store/ports.ts";
import { checkApiKey, hashApiKey, placeInKey } from "./api-key.ts";
import { KeyCache } from "./key-cache.ts";
import { isManagementKey } from "./management-key.ts";
import type { SubKeys } from "./sub-keys.ts";

/** A presented key, with the digest under which its record is cached once it was checked. */
export class PresentedKey {
  readonly credential: string;
  readonly digest: string;

  constructor(credential: string) {
    this.credential = credential;
    this.digest = digestOf(credential);
  }
}

/** Finds the key record of a presented key. Both methods throw the 401 codes of docs/api.md 5. */
export interface Authenticator {
  /** Reads the key from the database: for requests without admission (account views, token counting). */
  authenticate(credential: string): Promise<KeyRecord>;
  /**
   * May answer from the cache, synchronously: only for requests that pass admission, which compares the record's
   * `version` in its own transaction, so that an outdated record never admits a request (docs/rulings.md 21).
   */
  lookup(presented: PresentedKey): KeyRecord | Promise<KeyRecord>;
  /** Drops a cached record: admission found it outdated, or the key was just changed on this node. */
  forget(key_id: string): void;
}

export interface AuthenticatorDeps {
  readonly keys: SubKeys;
  readonly accounts: Pick<AccountStore, "findKeyByHash" | "changedKeys">;
  readonly clock?: Clock;
  /** The largest number of cached records, of about 1 KB each. */
  readonly remembered?: number;
  /** How often the records in use are compared with the database. */
  readonly compare_every_ms?: number;
}

const REMEMBERED = 10_000;
/**
 * How long a record is cached. A request that needs a new alias or allowed model fails before admission, which would
 * notice the changed key, so the change must become visible by itself, and soon.
 */
const REMEMBERED_MS = 5_000;
/**
 * Records of keys in use are compared with the database before they are too old, all of them together: thousands of keys would otherwise
 * be read anew every few seconds, one by one, while their requests wait.
 */
const COMPARE_EVERY_MS = 3_000;
/** A record that was not used for this long is not compared any more. */
const IN_USE_MS = 60_000;
/** The records that are compared at a time: other reads wait a millisecond for them. */
const COMPARED_AT_ONCE = 500;

export function createAuthenticator({
  keys,
  accounts,
  clock = systemClock,
  remembered,
  compare_every_ms = COMPARE_EVERY_MS,
}: AuthenticatorDeps): Authenticator {
  const cache = new KeyCache(remembered ?? REMEMBERED, REMEMBERED_MS);
  let is_due = false;

  function compareLater(): void {
    if (is_due) return;
    is_due = true;
    setTimeout(async () => {
      const used = cache.usedSince(clock.monotonic_ms() - IN_USE_MS);
      try {
        for (let at = 0; at < used.length; at += COMPARED_AT_ONCE) await compare(used.slice(at, at + COMPARED_AT_ONCE));
      } catch {
        // Records that could not be compared are read anew once they are too old, and that read reports the failure.
      }
      is_due = false;
      // While no key is in use there is nothing to compare until a key is read.
      if (used.length > 0) compareLater();
    }, compare_every_ms).unref();
  }

  async function compare(known: readonly KeyVersion[]): Promise<void> {
    const asked_ms = clock.monotonic_ms();
    const changed = new Set(await accounts.changedKeys(known));
    for (const key of known) {
      if (changed.has(key.id)) cache.forget(key.id);
      else cache.confirm(key, asked_ms);
    }
  }

  async function read(credential: string, digest: string): Promise<KeyRecord> {
    if (!checkApiKey(keys, credential)) throw isManagementKey(credential) ? managementKeyHere() : unknownKey();
    const [hash, place] = [hashApiKey(keys, credential), placeInKey(credential)];
    const record = await (place === null ? accounts.findKeyByHash(hash) : accounts.findKeyByHash(hash, place));
    if (!record) throw unknownKey();
    requireActive(record, clock);
    // Only active records are cached: a cached refusal would outlast the key's being enabled again.
    cache.set(digest, record, clock.monotonic_ms());
    compareLater();
    return record;
  }

  return {
    authenticate: (credential) => read(credential, digestOf(credential)),
    lookup({ credential, digest }) {
      const record = cache.get(digest, clock.monotonic_ms());
      // A record past its expiry is read again, as the expiry may have been moved.
      return record && !isExpired(record, clock) ? record : read(credential, digest);
    },
    forget: (key_id) => cache.forget(key_id),
  };
}

/**
 * The cache key of an API key. A hit proves that the presented key is the one that was checked, so its shape, signature
 * and stored hash need not be computed again. A digest does not help to guess a key: its random part is far too long.
 */
function digestOf(credential: string): string {
  return Bun.SHA256.hash(credential, "hex");
}

/** When a caller whose account is moved may try again. */
const MOVED_IN_MS = 1000;

/**
 * Throws the 401 for an inactive key or account, and the 503 for one that is being moved; returns when both are active and the key has not expired
 * (docs/rulings.md 63).
 */
function requireActive(record: KeyRecord, clock: Clock): void {
  if (record.status !== "active") {
    throw new GatewayError("api_key_inactive", `This API key is ${record.status}. Use another key.`);
  }
  if (isExpired(record, clock)) {
    throw new GatewayError("api_key_inactive", "This API key has expired. Use another key.");
  }
  if (record.account_status === "moving") {
    const message = "The account of this API key is being moved to another database. Try again in a moment.";
    throw new GatewayError("model_unavailable", message, { retry_after_ms: MOVED_IN_MS });
  }
  if (record.account_status !== "active") {
    throw new GatewayError("user_inactive", "The account of this API key is disabled.");
  }
}

/** Reads the clock only for keys that expire, which few do. */
function isExpired(record: KeyRecord, clock: Clock): boolean {
  return record.expires_ms !== null && record.expires_ms <= clock.now_ms();
}

/** A management key never calls models, whether or not it is valid: this error depends on the key's prefix alone. */
function managementKeyHere(): GatewayError {
  return new GatewayError(
    "invalid_api_key",
    "This is a management key (cmm-…): it administers below /console/api and calls no model. Use an API key (cm-…).",
  );
}

/** One error for every key that is not this gateway's or no longer exists, so that it discloses nothing. */
function unknownKey(): GatewayError {
  return new GatewayError(
    "invalid_api_key",
    "This API key is not valid. Check that it was copied whole, or use another key.",
  );
}
