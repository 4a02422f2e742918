import { describe, expect, test } from "bun:test";
import { newCustomer, type TestDatabase } from "./books.ts";

export function vendorsSuite(database: () => TestDatabase): void {
  describe("vendor credentials", () => credentialTests(database));
  describe("the state of the books", () => stateTests(database));
}

const SEALED = { key_version: 1, nonce: "bm9uY2U=", ciphertext: "Y2lwaGVy", set_by: "admin-token" };

function credentialTests(database: () => TestDatabase): void {
  test("come back as they were put, one for each vendor, the newest", async () => {
    const { vendor_credentials: credentials } = database().store;
    await credentials.put({ vendor_id: "beta", ...SEALED });
    await credentials.put({ vendor_id: "acme", ...SEALED, ciphertext: "b2xk" });
    await credentials.put({ vendor_id: "acme", ...SEALED, key_version: 2, set_by: "user_1" });
    const listed = await credentials.list();
    expect(listed.map(({ set_ms: _, ...each }) => each)).toEqual([
      { vendor_id: "acme", ...SEALED, key_version: 2, set_by: "user_1" },
      { vendor_id: "beta", ...SEALED },
    ]);
    for (const { set_ms } of listed) expect(Math.abs(set_ms - Date.now())).toBeLessThan(60_000);
  });

  test("are gone once they were removed", async () => {
    const { vendor_credentials: credentials } = database().store;
    await credentials.put({ vendor_id: "acme", ...SEALED });
    expect(await credentials.remove("acme")).toBe(true);
    expect(await credentials.remove("acme")).toBe(false);
    expect((await credentials.list()).map(({ vendor_id }) => vendor_id)).not.toContain("acme");
  });

  test("have a revision that grows with every change, also with several at once", async () => {
    const { vendor_credentials: credentials } = database().store;
    const before = await credentials.revision();
    const ids = ["a", "b", "c", "d"];
    await Promise.all(ids.map((vendor_id) => credentials.put({ vendor_id, ...SEALED })));
    expect(await credentials.revision()).toBe(before + ids.length);
    await Promise.all(ids.map((vendor_id) => credentials.remove(vendor_id)));
    expect(await credentials.revision()).toBe(before + 2 * ids.length);
  });

  test("survive a crash", async () => {
    await database().store.vendor_credentials.put({ vendor_id: "kept", ...SEALED });
    await database().crash();
    expect((await database().store.vendor_credentials.list()).map(({ vendor_id }) => vendor_id)).toContain("kept");
  });
}

function stateTests(database: () => TestDatabase): void {
  test("counts the open holds, and what accounts have held is the same sum", async () => {
    const { store } = database();
    const before = await store.state();
    const customer = await newCustomer(database(), 1000);
    const first = await customer.hold();
    await customer.hold();
    const during = await store.state();
    expect(during.open_holds.count).toBe(before.open_holds.count + 2);
    expect(during.open_holds.sum_micro).toBe(during.held_micro);
    expect(during.held_micro - before.held_micro).toBe(BigInt((await customer.wallet()).held));
    expect(Math.abs((during.open_holds.oldest_ms ?? 0) - Date.now())).toBeLessThan(3_600_000);
    await customer.settle(first);
    expect((await store.state()).open_holds.count).toBe(before.open_holds.count + 1);
  });
}
