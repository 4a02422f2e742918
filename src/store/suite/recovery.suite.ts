import { describe, expect, test } from "bun:test";
import { micro } from "../../core/money/money.ts";
import { newCustomer, type TestDatabase } from "./books.ts";

export function recoverySuite(database: () => TestDatabase): void {
  describe("a sweep", () => sweepTests(database));
  describe("of a sweep's own node", () => ownTests(database));
  describe("after a crash", () => crashTests(database));
}

const TOKENS = { input_tokens: 10, output_tokens: 5 };

/** All but these run: requests that earlier tests have left are abandoned after a minute, and a slow machine takes longer to come here. */
const onlyOurs =
  (...ids: readonly string[]) =>
  (id: string) =>
    ids.includes(id) ? "unknown" : "running";

function sweepTests(database: () => TestDatabase): void {
  test("leaves alone what is within its deadline", async () => {
    const customer = await newCustomer(database(), 1000);
    const request_id = await customer.hold();
    const swept = await database().store.ledger.sweep(database().node_id, onlyOurs(request_id));
    expect(swept).toMatchObject({ settled: 0, voided: 0 });
    expect(await customer.settle(request_id)).toMatchObject({ outcome: "settled" });
  });

  test("ends what is past it: charged with the recorded progress, else voided as the operator's loss", async () => {
    const customer = await newCustomer(database(), 1000);
    const { store, node_id, execute } = database();
    const recorded = await customer.hold();
    const unknown = await customer.hold();
    await customer.progress(recorded, 15, TOKENS);
    await execute(`UPDATE requests SET deadline_ms = 1 WHERE id IN ('${recorded}', '${unknown}')`);
    expect(await store.ledger.sweep(node_id, onlyOurs(recorded, unknown))).toMatchObject({ settled: 1, voided: 1 });

    expect(await customer.wallet()).toEqual({ balance: 985, held: 0 });
    const find = (id: string) => store.accounts.findRequest(customer.account.id, id);
    const charged = { charge_micro: 15n, operator_loss_micro: 0n, estimated: true, usage: TOKENS };
    expect(await find(recorded)).toMatchObject({ status: "expired", ...charged, error: "internal_error" });
    const lost = { charge_micro: 0n, operator_loss_micro: 100n, usage: null, error: "internal_error" };
    expect(await find(unknown)).toMatchObject({ status: "voided", ...lost });
    expect(await store.ledger.sweep(node_id, onlyOurs(recorded, unknown))).toMatchObject({ settled: 0, voided: 0 });
  });

  test("finds a hold that progress has moved on", async () => {
    const customer = await newCustomer(database(), 1000);
    const { store, node_id, execute } = database();
    const request_id = await customer.hold();
    await execute(`UPDATE requests SET deadline_ms = 1 WHERE id = '${request_id}'`);
    await customer.progress(request_id, 15, TOKENS);
    // Other tests of this node may have left holds that it ends.
    await store.ledger.sweep(node_id);
    expect(await store.accounts.findRequest(null, request_id)).toMatchObject({ status: "held" });
  });
}

function ownTests(database: () => TestDatabase): void {
  const fates: ("running" | "refused" | "unknown")[] = ["running", "refused", "unknown"];
  test("a request that the process knows is never ended, whatever the clock says", async () => {
    const customer = await newCustomer(database(), 1000);
    const { store, node_id, execute } = database();
    const ids = await Promise.all(fates.map(() => customer.hold()));
    const localStateOf = (id: string) => fates[ids.indexOf(id)] ?? "unknown";
    // By the database's clock it is an hour later.
    await execute(
      `UPDATE requests SET deadline_ms = 1, created_ms = 1 WHERE account_id = '${customer.account.id}' AND status = 'held'`,
    );
    expect((await store.ledger.sweep(node_id, localStateOf)).voided).toBeGreaterThanOrEqual(2);
    const losses = await Promise.all(ids.map((id) => store.accounts.findRequest(null, id)));
    expect(losses.map((found) => [found?.status, Number(found?.operator_loss_micro), found?.error])).toEqual([
      ["held", 0, null],
      ["voided", 0, "model_unavailable"],
      ["voided", 100, "internal_error"],
    ]);
    expect(await customer.settle(ids[0] ?? "")).toMatchObject({ outcome: "settled" });
  });
}

function crashTests(database: () => TestDatabase): void {
  test("a charge is never more than the hold, whatever was recorded, admitted or is due first", async () => {
    const customer = await newCustomer(database(), 500);
    const { execute } = database();
    const recorded = await customer.hold({ hold_micro: micro(63) });
    const unknown = await customer.hold({ hold_micro: micro(264) });
    await customer.progress(recorded, 335, TOKENS);
    await execute(`UPDATE requests SET deadline_ms = deadline_ms + 1000 WHERE id = '${unknown}'`);
    await database().crash();
    expect(await customer.wallet()).toEqual({ balance: 437, held: 0 });
  });

  test("no hold is left, and each is ended as far as was recorded of it", async () => {
    const customer = await newCustomer(database(), 1000);
    const recorded = await customer.hold({ concurrent: 2 });
    const unknown = await customer.hold({ concurrent: 2, idempotency: { key: "k", fingerprint: "f" } });
    await customer.extend(recorded, 50);
    await customer.progress(recorded, 15, TOKENS);
    const settled = await customer.hold();
    await customer.settle(settled);
    await database().crash();

    expect(await customer.wallet()).toEqual({ balance: 1000 - 40 - 15, held: 0 });
    const { accounts } = database().store;
    const status = async (id: string) => (await accounts.findRequest(null, id))?.status;
    expect(await Promise.all([recorded, unknown, settled].map(status))).toEqual(["settled", "voided", "settled"]);
    // The key is free again, and what was voided can be repeated.
    const again = { concurrent: 1, idempotency: { key: "k", fingerprint: "f" } };
    expect(await customer.admit({ ...again, hold_micro: micro(945) })).toMatchObject({ outcome: "admitted" });
  });
}
