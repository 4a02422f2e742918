import { beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { keyRecord } from "../../proofs/support/key-record.ts";
import { placeOfCell } from "../core/cell-place.ts";
import { type ErrorCode, GatewayError } from "../core/errors.ts";
import { BASE62_ALPHABET } from "../core/ids.ts";
import type { KeyRecord } from "../core/people/principal.ts";
import { createApiKey } from "./api-key.ts";
import { type Authenticator, createAuthenticator, PresentedKey } from "./authenticator.ts";
import { deriveSubKeys } from "./sub-keys.ts";

const keys = deriveSubKeys("a root secret for tests");
const mine = createApiKey(keys);
const ACTIVE = keyRecord({ hint: mine.hint });

let stored: Map<string, KeyRecord>;
let reads: number;
let now_ms: number;
let monotonic_ms: number;
let authenticator: Authenticator;

beforeEach(() => {
  stored = new Map([[mine.hash, ACTIVE]]);
  reads = 0;
  now_ms = 1_000;
  monotonic_ms = 0;
  authenticator = authenticatorOf(async (hash) => {
    reads++;
    return stored.get(hash) ?? null;
  });
});

function authenticatorOf(findKeyByHash: (hash: string) => Promise<KeyRecord | null>, remembered = 100): Authenticator {
  const clock = { now_ms: () => now_ms, monotonic_ms: () => monotonic_ms };
  const changedKeys = async () => [];
  return createAuthenticator({ keys, accounts: { findKeyByHash, changedKeys }, clock, remembered });
}

function lookup(whose: Authenticator, key: string): KeyRecord | Promise<KeyRecord> {
  return whose.lookup(new PresentedKey(key));
}

async function codeOf(attempt: () => unknown): Promise<ErrorCode | "accepted"> {
  try {
    await attempt();
    return "accepted";
  } catch (error) {
    if (error instanceof GatewayError) return error.code;
    throw error;
  }
}

test("a key that says where its account lives is looked up there, and a made-up one nowhere", async () => {
  const placed = createApiKey(keys, undefined, "north");
  const places: (string | undefined)[] = [];
  const accounts = {
    changedKeys: async () => [],
    async findKeyByHash(hash: string, place?: string) {
      places.push(place);
      return hash === mine.hash || hash === placed.hash ? ACTIVE : null;
    },
  };
  const north = createAuthenticator({ keys, accounts });
  await north.authenticate(placed.key);
  await north.authenticate(mine.key);
  const made_up = createApiKey(deriveSubKeys("the root secret of somebody else"), undefined, "north");
  expect(await codeOf(() => north.authenticate(made_up.key))).toBe("invalid_api_key");
  expect(places).toEqual([placeOfCell("north"), undefined]);
});

describe("both methods", () => {
  const CASES: [situation: string, change: Partial<KeyRecord>, answer: ErrorCode | "accepted"][] = [
    ["an active key", {}, "accepted"],
    ["a disabled key", { status: "disabled" }, "api_key_inactive"],
    ["a revoked key", { status: "revoked" }, "api_key_inactive"],
    ["a key past its expiry", { expires_ms: 1_000 }, "api_key_inactive"],
    ["a key before its expiry", { expires_ms: 1_001 }, "accepted"],
    ["a disabled account", { account_status: "disabled" }, "user_inactive"],
  ];
  for (const [situation, change, answer] of CASES) {
    test(`${situation}: ${answer}`, async () => {
      stored.set(mine.hash, { ...ACTIVE, ...change });
      expect(await codeOf(() => authenticator.authenticate(mine.key))).toBe(answer);
      expect(await codeOf(() => lookup(authenticator, mine.key))).toBe(answer);
    });
  }

  test("a deleted key: invalid_api_key, as for a key that never existed", async () => {
    stored.clear();
    expect(await codeOf(() => authenticator.authenticate(mine.key))).toBe("invalid_api_key");
    expect(await codeOf(() => lookup(authenticator, mine.key))).toBe("invalid_api_key");
  });

  test("malformed and forged keys are refused without a database read", async () => {
    const unreadable = authenticatorOf(() => Promise.reject(new Error("the store was read")));
    const forged = createApiKey(deriveSubKeys("another root secret for tests")).key;
    for (const key of ["", "' OR 1=1 --", mine.key.slice(1), `${mine.key}x`, "x".repeat(1_000_000), forged]) {
      expect(await codeOf(() => unreadable.authenticate(key))).toBe("invalid_api_key");
      expect(await codeOf(() => lookup(unreadable, key))).toBe("invalid_api_key");
    }
  });

  test("a key with one wrong character never reaches the database", async () => {
    const unreadable = authenticatorOf(() => Promise.reject(new Error("the store was read")));
    await fc.assert(
      fc.asyncProperty(fc.nat(mine.key.length - 1), fc.constantFrom(...BASE62_ALPHABET), async (at, character) => {
        fc.pre(mine.key[at] !== character);
        const changed = mine.key.slice(0, at) + character + mine.key.slice(at + 1);
        expect(await codeOf(() => lookup(unreadable, changed))).toBe("invalid_api_key");
      }),
      { numRuns: 500 },
    );
  });

  test("a database failure is not reported as a wrong key", async () => {
    const failing = authenticatorOf(() => Promise.reject(new Error("disk on fire")));
    await expect(failing.authenticate(mine.key)).rejects.toThrow("disk on fire");
  });
});

describe("authenticate", () => {
  test("reads the database every time", async () => {
    await authenticator.authenticate(mine.key);
    await authenticator.authenticate(mine.key);
    expect(reads).toBe(2);
  });
});

describe("lookup", () => {
  test("reads once, then answers at once from memory", async () => {
    await lookup(authenticator, mine.key);
    expect(lookup(authenticator, mine.key)).toBe(ACTIVE);
    expect(reads).toBe(1);
  });

  test("reads again after forget", async () => {
    await lookup(authenticator, mine.key);
    stored.set(mine.hash, { ...ACTIVE, version: 2 });
    authenticator.forget(ACTIVE.id);
    expect((await lookup(authenticator, mine.key)).version).toBe(2);
  });

  test("reads again after five seconds, so that every node sees a new alias", async () => {
    await lookup(authenticator, mine.key);
    stored.set(mine.hash, { ...ACTIVE, version: 2 });
    monotonic_ms = 4_999;
    expect((await lookup(authenticator, mine.key)).version).toBe(1);
    monotonic_ms = 5_000;
    expect((await lookup(authenticator, mine.key)).version).toBe(2);
  });

  test("does not cache a refusal: a key that is enabled again works at once", async () => {
    stored.set(mine.hash, { ...ACTIVE, status: "disabled" });
    await codeOf(() => lookup(authenticator, mine.key));
    stored.set(mine.hash, ACTIVE);
    expect(await codeOf(() => lookup(authenticator, mine.key))).toBe("accepted");
  });

  test("notices that a cached key has expired, and that its expiry was moved", async () => {
    stored.set(mine.hash, { ...ACTIVE, expires_ms: 2_000 });
    await lookup(authenticator, mine.key);
    now_ms = 2_000;
    expect(await codeOf(() => lookup(authenticator, mine.key))).toBe("api_key_inactive");
    stored.set(mine.hash, { ...ACTIVE, expires_ms: 3_000 });
    expect(await codeOf(() => lookup(authenticator, mine.key))).toBe("accepted");
  });

  test("keeps the keys in use and drops the others", async () => {
    const fleet = Array.from({ length: 4 }, (_, index) => ({ ...createApiKey(keys), id: `key_${index}` }));
    const reads_by_id: string[] = [];
    const small = authenticatorOf(async (hash) => {
      const found = fleet.find((key) => key.hash === hash);
      reads_by_id.push(found?.id ?? "");
      return found ? { ...ACTIVE, id: found.id } : null;
    }, 3);
    const [first, second, third, fourth] = fleet.map((key) => key.key);
    for (const key of [first, second, third, first, fourth, first, second]) await lookup(small, key ?? "");
    expect(reads_by_id).toEqual(["key_0", "key_1", "key_2", "key_3", "key_1"]);
  });

  test("keeps the keys in use beyond five seconds, and drops one that was changed", async () => {
    const fleet = Array.from({ length: 3 }, (_, index) => ({ ...createApiKey(keys), id: `key_${index}` }));
    const versions = new Map(fleet.map(({ id }) => [id, 1]));
    const read: string[] = [];
    let compared = Promise.withResolvers<void>();
    const sharing = createAuthenticator({
      keys,
      accounts: {
        async findKeyByHash(hash) {
          const id = fleet.find((key) => key.hash === hash)?.id ?? "";
          read.push(id);
          return { ...ACTIVE, id, version: versions.get(id) ?? 0 };
        },
        async changedKeys(known) {
          setTimeout(compared.resolve, 0);
          return known.filter(({ id, version }) => versions.get(id) !== version).map(({ id }) => id);
        },
      },
      clock: { now_ms: () => now_ms, monotonic_ms: () => monotonic_ms },
      compare_every_ms: 1,
    });
    const all = async () => {
      for (const { key } of fleet) await lookup(sharing, key);
    };
    await all();
    versions.set("key_1", 2);
    monotonic_ms = 3_000;
    compared = Promise.withResolvers();
    await compared.promise;
    monotonic_ms = 7_999;
    await all();
    expect(read).toEqual(["key_0", "key_1", "key_2", "key_1"]);
    // A key that is not used any more is not asked about.
    monotonic_ms = 80_000;
    await all();
    expect(read).toHaveLength(7);
  });
});

describe("a key with two secrets", () => {
  const old = createApiKey(keys);

  test("is forgotten by both, so that neither record outlives a change", async () => {
    stored.set(old.hash, { ...ACTIVE, expires_ms: 5_000 });
    for (const key of [mine.key, old.key]) await lookup(authenticator, key);
    expect(reads).toBe(2);
    for (const key of [mine.key, old.key]) expect(lookup(authenticator, key)).not.toBeInstanceOf(Promise);
    stored.clear();
    authenticator.forget(ACTIVE.id);
    for (const key of [mine.key, old.key])
      expect(await codeOf(() => lookup(authenticator, key))).toBe("invalid_api_key");
  });

  test("is refused by the old one from its end on, though the record is remembered", async () => {
    stored.set(old.hash, { ...ACTIVE, expires_ms: 5_000 });
    await lookup(authenticator, old.key);
    stored.delete(old.hash);
    now_ms = 4_999;
    expect(await codeOf(() => lookup(authenticator, old.key))).toBe("accepted");
    now_ms = 5_000;
    expect(await codeOf(() => lookup(authenticator, old.key))).toBe("invalid_api_key");
    expect(await codeOf(() => lookup(authenticator, mine.key))).toBe("accepted");
  });
});
