import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SQL } from "bun";
import { fillFile } from "../../../../proofs/support/filled-file.ts";
import { type MoveScene, moveScene, rowsOf } from "../../../../proofs/support/move-scene.ts";
import { freshDatabase } from "../../../../proofs/support/postgres.ts";
import { micro } from "../../../core/money/money.ts";
import { moveStore } from "../../move/move-store.ts";
import { newCustomer, type TestDatabase } from "../../suite/books.ts";
import type { MoveStep } from "./move-account.ts";
import { ACCOUNT_TABLES, STAYING_TABLES } from "./tables.ts";

const MOVER = join(import.meta.dir, "../../../../proofs/support/account-mover.ts");
const STEPS: readonly MoveStep[] = ["frozen", "copied", "compared", "deleted", "arrived", "named", "left", "opened"];

const ROUTES = [
  ["directory", "north"],
  ["north", "south"],
  ["south", "directory"],
  ["directory", "south"],
] as const;

/** Rows of tables that no gateway of the file has filled. */
async function fillRest(database: SQL, account_id: string): Promise<void> {
  const rows = [
    "INSERT INTO usage_positions SELECT 'tgt_1', $1, 1, 1, 'dlv_' || $1::text",
    "INSERT INTO deliveries (id, kind, channel, recipient, created_ms, ends_ms, due_ms, attempts, state) SELECT 'dlv_' || $1::text, 'usage', 'webhook', 'tgt_1', 1, 2, 3, 0, 'waiting'",
    "INSERT INTO auto_top_ups SELECT $1, 5, 10, 100, 0, 0, NULL, 1, 'ann' ON CONFLICT DO NOTHING",
    "INSERT INTO key_tags SELECT id, 'team', 'red' FROM keys WHERE account_id = $1 ON CONFLICT DO NOTHING",
    "INSERT INTO traffic_waiting SELECT id, 1, NULL FROM requests WHERE account_id = $1 AND status <> 'held' ON CONFLICT DO NOTHING",
    "INSERT INTO refusals VALUES (1, $1, 'key', 'responses', 'rate_limit_exceeded', 429, 2, 'acme/swift', NULL, 'req_1', NULL, 1)",
    `INSERT INTO refused_requests VALUES ($1, 1, 'req_1', NULL, 'key', 'responses', 'rate_limit_exceeded', 429, NULL, '', NULL, 'slow, "(a)" {b,\\c} NULL')`,
  ];
  for (const text of rows) await database.unsafe(text, [account_id]);
}

describe("an account's move", () => {
  let filled: MoveScene;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "camino-cells-"));
    const { path } = await fillFile(join(folder, "filled.db"));
    const url = await freshDatabase();
    await moveStore({ from: path, to: url });
    filled = await moveScene(url);
  }, 60_000);
  afterAll(async () => {
    await filled[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  test("has a rule for every table, and each table with an account's column goes along or says why not", async () => {
    const found: { name: string }[] = await (filled.raw.north as SQL).unsafe(
      "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition",
    );
    const known = [...ACCOUNT_TABLES.map(({ name }) => name), ...Object.keys(STAYING_TABLES)];
    expect(found.map(({ name }) => name).toSorted()).toEqual(known.toSorted());
  });

  test("takes every row of every table along, there, on and back, and the audit of all finds nothing", async () => {
    const { raw, store, tools } = filled;
    const ids: { id: string }[] = await (raw.directory as SQL).unsafe("SELECT id FROM accounts ORDER BY id");
    const moved = new Set<string>();
    for (const { id } of ids) {
      await fillRest(raw.directory as SQL, id);
      const slice = await store.upkeep.readTrafficSlice({ limit: 1000, prices_json: "{}" });
      await store.upkeep.writeTrafficSlice(slice);
      const before = await rowsOf(raw.directory as SQL, id);
      for (const [name, rows] of Object.entries(before)) if (rows.length > 0) moved.add(name);
      const known = (await store.audit({ account_id: id })).problems;
      const shown = await store.accounts.findAccount(id);
      for (const [from, to] of ROUTES) {
        expect(await tools.move(id, to, { wait_ms: 0 })).toMatchObject({ account_id: id, from, to });
        const { keys, ...after } = await rowsOf(raw[to] as SQL, id);
        const { keys: all_keys, ...rest } = before;
        expect([after, keys?.length]).toEqual([rest, all_keys?.length]);
        // Members are shown with its projects.
        const { projects, ...left } = await rowsOf(raw[from] as SQL, id);
        expect(Object.values(left).flat()).toEqual([]);
        expect(projects?.length).toBe(from === "directory" ? (before.projects ?? []).length : 0);
        const { cell: _there, ...record } = { cell: null, ...(await store.accounts.findAccount(id)) };
        expect<unknown>(record).toEqual(shown);
      }
      expect((await store.audit({ account_id: id })).problems).toEqual(known);
    }
    expect(moved).toEqual(new Set(ACCOUNT_TABLES.map(({ name }) => name)));
    expect((await store.audit()).findings.filter(({ check }) => check === "place")).toEqual([]);
  }, 120_000);

  for (const [from, to] of [
    ["north", "south"],
    ["directory", "north"],
    ["north", "directory"],
  ] as const) {
    test(`from ${from} to ${to} that is killed at any step leaves it in one cell, and is ended or taken back by the next one`, async () => {
      const { raw, store, tools, url, cells } = filled;
      const customer = await newCustomer({ store } as TestDatabase, 1_000_000);
      const { account_id } = customer.key;
      await customer.settle(await customer.hold(), { charge_micro: micro(40) });
      for (const [at, step] of STEPS.entries()) {
        if (step === "named" && (from !== "north" || to !== "south")) continue;
        await tools.move(account_id, from, { wait_ms: 0 });
        const before = await rowsOf(raw[from] as SQL, account_id);
        const killed = Bun.spawn(
          [
            process.execPath,
            MOVER,
            url,
            cells.map(({ name, url: address }) => `${name}=${address}`).join(" "),
            account_id,
            to,
            step,
          ],
          { stdout: "ignore", stderr: "pipe" },
        );
        await killed.exited;
        expect([killed.signalCode, await new Response(killed.stderr).text()]).toEqual(["SIGKILL", ""]);
        // Ended, or taken back.
        const home = at % 2 === 0 ? to : from;
        await tools.move(account_id, home, { wait_ms: 0 });
        const after = await rowsOf(raw[home] as SQL, account_id);
        expect({ ...after, keys: after.keys?.length }).toEqual({ ...before, keys: before.keys?.length ?? 0 });
        for (const [name, database] of Object.entries(raw)) {
          const rows = Object.values(await rowsOf(database, account_id)).flat().length;
          expect([name, rows > 0]).toEqual([name, name === home]);
        }
        expect(await store.accounts.findAccount(account_id)).toMatchObject({
          status: "active",
          balance_micro: 999_960n,
        });
      }
      expect((await store.audit({ account_id })).problems).toEqual([]);
    }, 120_000);
  }
});
