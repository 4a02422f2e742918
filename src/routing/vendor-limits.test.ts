import { describe, expect, test } from "bun:test";
import type { VendorLimits } from "../core/catalog/catalog.ts";
import { VendorLimitBook } from "./vendor-limits.ts";

const DAY_MS = 86_400_000;

function setup(limits: VendorLimits, credential?: VendorLimits) {
  const clock = { now_ms: 20_000 * DAY_MS + 3_600_000 };
  const book = new VendorLimitBook(() => clock.now_ms);
  const vendor = { id: "acme", limits };
  const key = credential === undefined ? undefined : { name: "one", limits: credential };
  const take = (tokens = 10, by = key) => {
    const taken = book.take(vendor, by, tokens);
    return typeof taken === "string" ? taken : "taken";
  };
  return { clock, book, vendor, key, take, wait: (tokens = 10) => book.waitMs(vendor, key, tokens) };
}

describe("a vendor's limit of", () => {
  test("requests a minute is exact, and opens when its oldest leave the minute", () => {
    const { clock, take, wait } = setup({ rpm: 3 });
    expect([take(), take(), take(), take()]).toEqual(["taken", "taken", "taken", "rpm"]);
    expect(wait()).toBe(60_000);
    clock.now_ms += 60_000;
    expect(take()).toBe("taken");
  });

  test("requests in flight opens when one ends", () => {
    const { book, vendor, take } = setup({ concurrent: 1 });
    const reservation = book.take(vendor, undefined, 1);
    expect(take()).toBe("concurrent");
    if (typeof reservation !== "string") {
      reservation.end();
      reservation.end();
    }
    expect([take(), take()]).toEqual(["taken", "concurrent"]);
  });

  test("tokens counts what may still come, then what came", () => {
    const { clock, book, vendor, take } = setup({ tpm: 100 });
    const reservation = book.take(vendor, undefined, 90);
    expect(take(20)).toBe("tpm");
    if (typeof reservation !== "string") reservation.end();
    book.used(vendor, undefined, 30, 0n);
    expect([take(60), take(20)]).toEqual(["taken", "tpm"]);
    clock.now_ms += 60_000;
    expect(take(40)).toBe("taken");
  });

  test("tokens lets one request pass that is larger than the limit", () => {
    const { take } = setup({ tpm: 100 });
    expect([take(500), take(1)]).toEqual(["taken", "tpm"]);
  });

  test("spending is that of the day, by all nodes", () => {
    const { clock, book, vendor, take, wait } = setup({ spend_micro: 1000n });
    book.used(vendor, undefined, 5, 400n);
    expect(take()).toBe("taken");
    expect(book.takeUnshared()).toEqual([{ day: 20_000, vendor: "acme", credential: "", spent_micro: 400n }]);
    expect(book.takeUnshared()).toEqual([]);
    book.share([{ day: 20_000, vendor: "acme", credential: "", spent_micro: 1000n }], 2);
    expect([take(), wait()]).toEqual(["spend", 23 * 3_600_000]);
    clock.now_ms += 23 * 3_600_000;
    expect(take()).toBe("taken");
  });

  test("spending that could not be shared is not lost", () => {
    const { book, vendor } = setup({ spend_micro: 1000n });
    book.used(vendor, undefined, 5, 400n);
    book.putBack(book.takeUnshared());
    book.used(vendor, undefined, 5, 1n);
    expect(book.takeUnshared()).toMatchObject([{ spent_micro: 401n }]);
  });

  test("rates is a share for each of several nodes", () => {
    const { book, take } = setup({ rpm: 5 });
    book.share([], 2);
    expect([take(), take(), take()]).toEqual(["taken", "taken", "rpm"]);
  });
});

test("a credential's limits count beside its vendor's, and a refusal takes nothing of either", () => {
  const { book, vendor, take } = setup({ rpm: 2 }, { rpm: 1 });
  expect([
    take(),
    take(),
    take(10, { name: "two", limits: { rpm: 1 } }),
    take(10, { name: "three", limits: { rpm: 9 } }),
  ]).toEqual(["taken", "rpm", "taken", "rpm"]);
  expect(book.uses("acme", "", vendor.limits)).toEqual([{ limit: "rpm", allowed: 2n, share: 2n, used: 2n }]);
});
