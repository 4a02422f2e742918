import { describe, expect, test } from "bun:test";
import { keyRecord } from "../../../proofs/support/key-record.ts";
import { type KeyStatus, NO_CEILINGS } from "../../core/people/principal.ts";
import { refuseStaleChange } from "./change-key.ts";
import { barredBy, decideKeyStatus } from "./key-status.ts";
import { isManagementUseStale, managementKeyStatus } from "./management-key-life.ts";
import { decidePlaygroundKey } from "./playground-key.ts";
import { byOldSecret, decideRoll } from "./roll-key.ts";

describe("a key's status", () => {
  const [MEMBER, ADMINISTRATOR] = [false, true];
  const CASES: readonly [was: string, by_administrator: boolean, wanted: KeyStatus, becomes: string][] = [
    ["active", MEMBER, "disabled", "disabled"],
    ["active", ADMINISTRATOR, "disabled", "disabled, barred"],
    ["disabled, barred", MEMBER, "active", "refused"],
    ["disabled, barred", ADMINISTRATOR, "active", "active"],
    ["disabled, barred", MEMBER, "revoked", "revoked, barred"],
    ["disabled, barred", ADMINISTRATOR, "revoked", "revoked, barred"],
    ["disabled", MEMBER, "active", "active"],
    ["revoked", ADMINISTRATOR, "active", "refused"],
    ["revoked", MEMBER, "disabled", "refused"],
    ["revoked", MEMBER, "revoked", "revoked"],
  ];
  test.each(CASES)("that is %s, by an administrator (%p) to %s: %s", (was, by_administrator, wanted, becomes) => {
    const [status, barred] = was.split(", ");
    const ceilings = { ...NO_CEILINGS, barred: barred !== undefined };
    const key = keyRecord({ status: status as KeyStatus, ceilings });
    const decided = decideKeyStatus(key, wanted, barredBy(by_administrator, wanted));
    const shown = "refused" in decided ? "refused" : `${decided.status}${decided.is_barred ? ", barred" : ""}`;
    expect(shown).toBe(becomes);
  });
});

describe("a key", () => {
  test("is not changed by whoever judged an earlier version of it", () => {
    expect(refuseStaleChange({ id: "key_1", version: 2 }, 2)).toBeNull();
    expect(refuseStaleChange({ id: "key_1", version: 2 }, undefined)).toBeNull();
    expect(refuseStaleChange({ id: "key_1", version: 2 }, 1)).toHaveProperty("refused");
  });

  test("gets a new secret, and its old one ends after the overlap or at once", () => {
    const key = keyRecord();
    const now = { is_taken: false, now_ms: 100 };
    expect(decideRoll(key, { overlap_ms: 50 }, now)).toEqual({ old_until_ms: 150 });
    expect(decideRoll(key, { overlap_ms: 0 }, now)).toEqual({ old_until_ms: null });
    expect(decideRoll(key, { overlap_ms: 0 }, { ...now, is_taken: true })).toHaveProperty("refused");
    expect(decideRoll(keyRecord({ status: "revoked" }), { overlap_ms: 0 }, now)).toHaveProperty("refused");
    expect(decideRoll(keyRecord({ playground_of: "user_1" }), { overlap_ms: 0 }, now)).toHaveProperty("refused");
  });

  test.each([
    [null, 50],
    [40, 40],
    [60, 50],
  ])("that expires at %p does so by its old secret, valid until 50, at %i", (expires_ms, until_ms) => {
    expect(byOldSecret(keyRecord({ expires_ms, old_secret_until_ms: 50 })).expires_ms).toBe(until_ms);
  });

  test("of the playground is renewed while it is active, else replaced", () => {
    const found = [null, { status: "active" }, { status: "disabled" }, { status: "revoked" }] as const;
    expect(found.map(decidePlaygroundKey)).toEqual(["make", "renew", "replace", "replace"]);
  });
});

describe("a management key", () => {
  const CASES: readonly [revoked_ms: number | null, expires_ms: number | null, status: string][] = [
    [null, null, "active"],
    [null, 101, "active"],
    [null, 100, "expired"],
    [50, null, "revoked"],
    [50, 60, "revoked"],
  ];
  test.each(CASES)("revoked at %p that expires at %p is at 100: %s", (revoked_ms, expires_ms, status) => {
    expect<string>(managementKeyStatus({ revoked_ms, expires_ms }, 100)).toBe(status);
  });

  test("is marked as used once a minute, while it may be used", () => {
    const key = { revoked_ms: null, expires_ms: null, last_used_ms: 0 };
    expect([59_999, 60_000].map((now_ms) => isManagementUseStale(key, now_ms))).toEqual([false, true]);
    expect(isManagementUseStale({ ...key, revoked_ms: 1 }, 60_000)).toBe(false);
  });
});
