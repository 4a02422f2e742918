import { expect, test } from "bun:test";
import { GatewayError } from "../../core/errors.ts";
import type { LedgerOp } from "../../core/ledger/ledger.ts";
import { ZERO } from "../../core/money/money.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import { createLedger } from "../../ledger/ledger.ts";
import { withheld } from "./settle-request.ts";

/** The ledger's refusal of an operation that its store does not take while the ledger lets the caller wait. */
async function refusalBy(thrown: Error): Promise<unknown> {
  let now_ms = 0;
  let is_broken = true;
  const store = {
    commit: async (ops: readonly LedgerOp[]) => {
      now_ms += 10_000;
      if (is_broken) throw thrown;
      return ops.map(() => ({ kind: "already_ended" }) as never);
    },
  };
  const clock = { now_ms: () => 0, monotonic_ms: () => now_ms };
  const ledger = createLedger({ store, clock, retry_max_ms: 1, give_up_ms: 5000 });
  const outcome = { attempts: [], error: null, queue_ms: 0, first_byte_ms: null, duration_ms: 0 };
  const op = { op: "void", request_id: "req_1", outcome, operator_loss_micro: ZERO } as const;
  const refused = await ledger.void(op).catch((why: unknown) => why);
  is_broken = false;
  await ledger.drain();
  return refused;
}

test("an answer whose charge cannot be booked while the database is away is a 503 that says when to try again", async () => {
  const error = withheld(
    await refusalBy(new StoreUnavailable("unreachable", "Failed to connect", { nothing_happened: true })),
  );
  expect([error.row.status, error.code, error.retry_after_ms]).toEqual([503, "model_unavailable", 2000]);
});

test("an answer whose charge the database does not take for another reason is a 500", async () => {
  for (const thrown of [new Error("constraint failed"), new GatewayError("db_error", "broken")])
    expect(withheld(await refusalBy(thrown)).row.status).toBe(500);
});
