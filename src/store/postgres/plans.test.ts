import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { freshDatabase } from "../../../test/support/postgres.ts";
import { newId } from "../../core/ids.ts";
import type { LedgerOp } from "../../core/ledger.ts";
import { micro } from "../../core/money.ts";
import { commitBatch } from "../batch/commit-batch.ts";
import { toBookOp } from "../batch/to-book-op.ts";
import { openStore } from "../open-store.ts";
import { isSet, runAwaited, type Work } from "../sql/work.ts";
import { newCustomer, OUTCOME, settleOp } from "../suite/books.ts";
import { BY_KEY } from "./postgres-database.ts";

/**
 * The plans of all statements by which the ledger commits, as the server makes them for any parameters, on a database that was
 * never analysed: rows are found by indices, whatever the server knows of the tables.
 */
describe("a commit's statements in a young database", () => {
  test("find rows by indices, and look for running requests among the running ones", async () => {
    const url = await freshDatabase();
    const node_id = newId("node");
    const store = await openStore({ url, node_id });
    const raw = new SQL(url, { max: 1, connection: BY_KEY });
    const database = { store, node_id, execute: (text: string) => raw.unsafe(text), crash: never, close: never };
    const customer = await newCustomer(database, 1_000_000);
    const plans = new Map<string, string>();
    const admits = Array.from({ length: 8 }, (_, at) =>
      customer.admitOp({
        hold_micro: micro(50),
        idempotency: at === 0 ? { key: "one", fingerprint: "f" } : null,
        budget: { amount_micro: micro(900_000), window: "day" },
      }),
    );
    const [first, ...others] = admits.map(({ request_id }) => request_id);
    const progress = { ...settleOp(others[0] ?? ""), op: "progress" as const, ttl_ms: 60_000 };
    const batches: LedgerOp[][] = [
      [...admits],
      [{ op: "extend", request_id: others[0] ?? "", add_micro: micro(5) }, progress],
      [
        settleOp(first ?? "", { outcome: { ...OUTCOME, attempts: ATTEMPTS } }),
        { op: "void", request_id: others[1] ?? "", outcome: OUTCOME, operator_loss_micro: micro(0) },
        settleOp(others[2] ?? "", { outcome: { ...OUTCOME, upstream_cost_micro: micro(3) } }),
      ],
      // One that has ended already.
      [settleOp(first ?? "")],
    ];
    for (const ops of batches) {
      const work = () => commitBatch("postgres", ops.map(toBookOp));
      await explained(raw, work(), plans);
    }
    expect(plans.size).toBeGreaterThan(18);
    const scanned: string[] = [];
    for (const [statement, plan] of plans) {
      if (/Seq Scan on (?!jsonb)|Bitmap Heap Scan|Hash Join|Merge Join/.test(plan))
        scanned.push(`${statement}\n${plan}`);
      if (/^UPDATE requests/.test(statement)) expect(plan).not.toContain("requests_ended");
    }
    expect(scanned).toEqual([]);
    expect(await store.audit()).toMatchObject({ problems: [] });
    await Promise.all([store.close(), raw.close()]);
  }, 60_000);
});

const ATTEMPTS = [
  { vendor: "acme", upstream_model: "swift-1", status: 200, error: null, first_byte_ms: 1, duration_ms: 2 },
] as const;

/** Runs a work in one transaction, and keeps the plan of each of its statements. */
async function explained(sql: SQL, work: Work<unknown>, plans: Map<string, string>): Promise<void> {
  await sql.begin(async (connection) => {
    await runAwaited(work, async (step) => {
      const text = step.statement.postgres;
      if (isSet(step) && step.params.length === 0) return [];
      if (!plans.has(text)) {
        const lines: Record<"QUERY PLAN", string>[] = await connection.unsafe(`EXPLAIN (GENERIC_PLAN) ${text}`);
        plans.set(text, lines.map((line) => line["QUERY PLAN"]).join("\n"));
      }
      if (!isSet(step)) return await connection.unsafe(text, [...step.params]);
      const given = step.params.map((values) => values.map((each) => (typeof each === "bigint" ? String(each) : each)));
      return await connection.unsafe(text, [JSON.stringify(given)]);
    });
  });
}

async function never(): Promise<void> {
  throw new Error("not asked for");
}
