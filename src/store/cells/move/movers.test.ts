import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type MoveScene, moveScene, rowsOf } from "../../../../proofs/support/move-scene.ts";
import { freshDatabase } from "../../../../proofs/support/postgres.ts";
import { newId } from "../../../core/ids.ts";
import { micro } from "../../../core/money/money.ts";
import { NO_USAGE } from "../../../core/money/usage.ts";
import type { MovedAccount } from "../../../core/store/cells.ts";
import { type Customer, newCustomer, rejectionOf, settleOp, type TestDatabase } from "../../suite/books.ts";
import { CellTools } from "./cell-tools.ts";
import type { MoveStep } from "./move-account.ts";

/** Several commands at once, and what comes when an account has left (docs/rulings.md 244). */

const ANOTHER = "Another command moves accounts right now";
const AT_ONCE = { wait_ms: 0 };

describe("moves of accounts", () => {
  let scene: MoveScene;
  let second: CellTools;

  beforeAll(async () => {
    scene = await moveScene(await freshDatabase());
    second = new CellTools(scene.url, scene.settings, 0);
  }, 60_000);
  afterAll(async () => {
    await second[Symbol.asyncDispose]();
    await scene[Symbol.asyncDispose]();
  });

  /** A customer who has called once, in a cell. */
  async function customerIn(cell: string): Promise<Customer> {
    const { node_id, store, tools } = scene;
    const customer = await newCustomer({ store, node_id } as TestDatabase, 1_000_000);
    await customer.settle(await customer.hold(), { charge_micro: micro(40) });
    await tools.move(customer.account.id, cell, AT_ONCE);
    await customer.changeKey({ name: "moved" });
    return customer;
  }

  /** The one cell that has rows of an account. The directory's rows of projects are not its own. */
  async function cellsWith({ account }: Customer): Promise<string[]> {
    const found: string[] = [];
    for (const [name, database] of Object.entries(scene.raw))
      if (Object.values(await rowsOf(database, account.id)).flat().length > 0) found.push(name);
    return found;
  }

  /** Begins a move and holds it up at a step until it is let go. */
  async function heldAt(step: MoveStep, customer: Customer, to: string) {
    const reached = Promise.withResolvers<void>();
    const let_go = Promise.withResolvers<void>();
    const moving = scene.tools.move(customer.account.id, to, {
      wait_ms: 0,
      onStep: async (taken) => {
        if (taken !== step) return;
        reached.resolve();
        await let_go.promise;
      },
    });
    await Promise.race([reached.promise, moving]);
    return {
      async end(): Promise<MovedAccount> {
        let_go.resolve();
        return await moving;
      },
    };
  }

  for (const step of ["copied", "left"] as const) {
    test(`wait for no other command, which is at "${step}": of the same account, of another one, or of all in a cell`, async () => {
      const [one, other] = [await customerIn("north"), await customerIn("north")];
      const held = await heldAt(step, one, "south");
      for (const { account, to } of [
        { ...one, account: one.account, to: "directory" },
        { ...one, account: one.account, to: "south" },
        { ...other, account: other.account, to: "south" },
      ])
        expect(String(await rejectionOf(second.move(account.id, to, AT_ONCE)))).toContain(ANOTHER);
      expect(String(await rejectionOf(second.drain("north", AT_ONCE)))).toContain(ANOTHER);
      expect(await held.end()).toMatchObject({ from: "north", to: "south" });
      expect([await cellsWith(one), await cellsWith(other)]).toEqual([["south"], ["north"]]);
      expect(await second.move(other.account.id, "south", AT_ONCE)).toMatchObject({ from: "north", to: "south" });
    }, 60_000);
  }

  test("at one moment, of one account to two cells, leave it in one with all that it has", async () => {
    const { store, tools } = scene;
    const customer = await customerIn("directory");
    const before = await rowsOf(scene.raw.directory as never, customer.account.id);
    const moved = await Promise.allSettled([
      tools.move(customer.account.id, "north", AT_ONCE),
      second.move(customer.account.id, "south", AT_ONCE),
    ]);
    for (const each of moved) if (each.status === "rejected") expect(String(each.reason)).toContain(ANOTHER);
    const [home = "", ...more] = await cellsWith(customer);
    expect([home === "directory", more]).toEqual([false, []]);
    const { keys, ...rest } = await rowsOf(scene.raw[home] as never, customer.account.id);
    expect({ ...rest, keys: keys?.length }).toEqual({ ...before, keys: before.keys?.length ?? 0 });
    expect(await store.accounts.findAccount(customer.account.id)).toMatchObject({ status: "active" });
    expect(await store.cellOf?.(customer.account.id)).toBe(home);
    expect((await store.audit()).findings.filter(({ check }) => check === "place")).toEqual([]);
  }, 60_000);

  test("do not take place where what comes is not what was read", async () => {
    const { raw, store, tools } = scene;
    const customer = await customerIn("north");
    const before = await rowsOf(raw.north as never, customer.account.id);
    await raw.south?.unsafe(`CREATE FUNCTION change_usage() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN NEW.prompt_tokens = NEW.prompt_tokens + 1; RETURN NEW; END $$`);
    await raw.south?.unsafe(
      "CREATE TRIGGER changed BEFORE INSERT ON usage_days FOR EACH ROW EXECUTE FUNCTION change_usage()",
    );
    const refused = await rejectionOf(tools.move(customer.account.id, "south", AT_ONCE));
    expect(String(refused)).toContain("What came to south is not what north has, in usage_days. Nothing has changed.");
    await raw.south?.unsafe("DROP FUNCTION change_usage CASCADE");
    const { keys, ...rest } = await rowsOf(raw.north as never, customer.account.id);
    expect({ ...rest, keys: keys?.length }).toEqual({ ...before, keys: before.keys?.length ?? 0 });
    expect([await cellsWith(customer), (await store.accounts.findAccount(customer.account.id))?.status]).toEqual([
      ["north"],
      "active",
    ]);
  }, 60_000);

  for (const charge of [40, 4, null]) {
    test(`leave nothing behind of an end that comes late, ${charge === null ? "a void" : `with ${charge}`}, which is booked where the account is, once`, async () => {
      const { raw, store, tools } = scene;
      const customer = await customerIn("north");
      const request_id = await customer.hold();
      await customer.progress(request_id, 15, { input_tokens: 10, output_tokens: 5 });
      await raw.north?.unsafe("UPDATE requests SET deadline_ms = 1 WHERE id = $1", [request_id]);
      await store.ledger.sweep(scene.node_id);
      expect(await customer.wallet()).toEqual({ balance: 999_945, held: 0 });
      // The lane of the gateway that has the call is that of the cell in which it began.
      const lane = store.lanes?.stores[store.lanes.laneOf(customer.account.id)];
      await tools.move(customer.account.id, "south", AT_ONCE);
      const { account_id } = customer.key;
      const usage = { ...NO_USAGE, input_tokens: 10, output_tokens: 25 };
      const op =
        charge === null
          ? { ...settleOp(request_id), op: "void" as const, account_id, operator_loss_micro: micro(0) }
          : { ...settleOp(request_id, { usage, charge_micro: micro(charge) }), account_id };
      const ends = [];
      for (let said = 0; said < 2; said += 1) ends.push((await lane?.commit([op]))?.[0]?.outcome);
      expect(ends).toEqual([charge === null ? "voided" : "settled", "already_ended"]);
      expect(await customer.wallet()).toEqual({ balance: 999_960 - (charge ?? 0), held: 0 });
      expect(await cellsWith(customer)).toEqual(["south"]);
      // A late end goes along like everything else.
      await tools.move(customer.account.id, "directory", AT_ONCE);
      expect(await customer.wallet()).toEqual({ balance: 999_960 - (charge ?? 0), held: 0 });
      expect((await store.audit({ account_id })).problems).toEqual([]);
    }, 60_000);
  }

  test("bring what a gateway that has not heard of them wrote to the old cell, once, with what it takes", async () => {
    const { raw, settings, url } = scene;
    const customer = await customerIn("north");
    const { id } = customer.account;
    const refusal = `INSERT INTO refusals VALUES (7, '${id}', '${customer.key.id}', 'responses', 'rate_limit_exceeded', 429, 2, 'acme/swift', NULL, 'req_7', NULL, 1)`;
    const content = (request: string, bytes: number) =>
      `WITH segment AS (INSERT INTO content_segments (account_id, segment_id, at_ms, bytes, request_ids, content)
          VALUES ('${id}', 'of_${request}', 1, ${bytes}, '${request}', '\\x22285c29') RETURNING segment_id)
        INSERT INTO contents (account_id, request_id, at_ms, key_id, model, endpoint, status, bytes, segment_id)
        SELECT '${id}', '${request}', 1, '${customer.key.id}', 'acme/swift', 'responses', 200, ${bytes}, segment_id FROM segment`;
    const kept = (cell: string, bytes: number) =>
      raw[cell]?.unsafe(
        "INSERT INTO marks (name, value) VALUES ('contents_bytes', $1) ON CONFLICT (name) DO UPDATE SET value = marks.value + $1",
        [bytes],
      );
    for (const cell of ["north", "south"]) await kept(cell, 1000);
    for (const text of [refusal, content("req_early", 10)]) await raw.north?.unsafe(text);
    await kept("north", 10);
    const totals = async () =>
      await Promise.all(
        ["north", "south"].map(async (cell) => {
          const [mark] = (await raw[cell]?.unsafe("SELECT value FROM marks WHERE name = 'contents_bytes'")) ?? [];
          return Number(mark?.value);
        }),
      );
    const began = await totals();
    await using waiting = new CellTools(url, settings, 100);
    await waiting.move(id, "south", {
      wait_ms: 0,
      onStep: async (step) => {
        if (step !== "opened") return;
        for (const text of [refusal, content("req_early", 10), content("req_late", 30)]) await raw.north?.unsafe(text);
        await kept("north", 40);
      },
    });
    expect(await cellsWith(customer)).toEqual(["south"]);
    const rows = await rowsOf(raw.south as never, id);
    expect(rows.contents?.map((row) => JSON.parse(row).request_id)).toEqual(["req_early", "req_late"]);
    expect(rows.content_segments?.map((row) => JSON.parse(row).segment_id)).toEqual(["of_req_early", "of_req_late"]);
    expect(rows.refusals?.map((row) => JSON.parse(row).count)).toEqual(["4"]);
    expect(await totals()).toEqual([Number(began[0]) - 10, Number(began[1]) + 40]);
    // What comes later still is brought when the cell is drained, and is not there when the account comes back.
    await raw.north?.unsafe(content("req_later", 50));
    await kept("north", 50);
    await waiting.move(id, "north", AT_ONCE);
    const [north] = await totals();
    expect(north).toBe(Number(began[0]) + 30);
    expect((await rowsOf(raw.north as never, id)).contents).toHaveLength(2);
  }, 60_000);

  test("leave the entries of the audit log where they were written: a reader of the account's log sees all of them, page by page", async () => {
    const { raw, store, tools } = scene;
    const customer = await customerIn("north");
    const { id } = customer.account;
    let at_ms = 1_000_000;
    const written: string[] = [];
    for (const cell of ["north", "south", "directory", "north"]) {
      await tools.move(id, cell, AT_ONCE);
      for (let count = 0; count < 2; count += 1) {
        const entry = newId("aud");
        at_ms += 1000;
        await raw[cell]?.unsafe(
          `INSERT INTO audit_log (id, created_ms, actor_kind, actor_name, action, noun, object_kind, object_id, account_id)
            VALUES ($1, $2, 'gateway', 'gateway', 'key.update', 'key', 'key', $3, $4)`,
          [entry, at_ms, customer.key.id, id],
        );
        written.unshift(entry);
      }
    }
    const all = await store.users.listAuditEntries({ account_id: id, to_ms: at_ms + 1, limit: 100 });
    expect(all.map((entry) => entry.id)).toEqual(written);
    const paged: string[] = [];
    for (let before_id: string | undefined; ; ) {
      const page = await store.users.listAuditEntries({
        ...{ account_id: id, to_ms: at_ms + 1, limit: 3 },
        ...(before_id !== undefined && { before_id }),
      });
      paged.push(...page.map((entry) => entry.id));
      before_id = page.at(-1)?.id;
      if (page.length < 3) break;
    }
    expect(paged).toEqual(written);
  }, 60_000);
});
