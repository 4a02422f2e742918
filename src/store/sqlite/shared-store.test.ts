import { afterEach, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LEAVES_DRILLS } from "../../../proofs/support/runs.ts";
import { newId } from "../../core/ids.ts";
import { micro } from "../../core/money/money.ts";
import type { Store } from "../../core/store/ports.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import { openStore } from "../open-store.ts";
import { newCustomer, type OpenTestDatabase, rejectionOf, settleOp, type TestDatabase } from "../suite/books.ts";
import { executeOnSqlite } from "../suite/execute-on-sqlite.ts";
import { describeStore } from "../suite/store.suite.ts";
import { LedgerServer } from "./ledger-server.ts";
import { openOwned } from "./open-sqlite.ts";
import { RemoteWriter } from "./remote-writer.ts";
import type { WorkerClient } from "./worker-client.ts";

/** The embedded database as workers use it: through the process that owns it, here one of this process's threads. */
class Owner {
  readonly folder: string;
  readonly path: string;
  readonly socket: string;
  #writer: WorkerClient | null = null;
  #server: LedgerServer | null = null;

  private constructor(folder: string) {
    this.folder = folder;
    this.path = join(folder, "camino.db");
    this.socket = join(folder, "socket");
  }

  static async open(): Promise<Owner> {
    const owner = new Owner(await mkdtemp(join(tmpdir(), "camino-shared-")));
    await owner.begin();
    return owner;
  }

  async begin(living: readonly string[] = []): Promise<void> {
    this.#writer = await openOwned(this.path, () => {}, living);
    this.#server = await LedgerServer.listen(this.socket, this.#writer);
  }

  /** Goes as a process does that dies: connections break, the file is free. */
  async end(): Promise<void> {
    this.#server?.close();
    await this.#writer?.close();
  }

  async worker(node_id = newId("node")): Promise<TestDatabase> {
    const open = () => openStore({ url: `sqlite:${this.path}`, node_id, ledger_socket: this.socket });
    const opened = { store: await open() };
    const owner = this;
    return {
      get store(): Store {
        return opened.store;
      },
      node_id,
      async execute(sql) {
        await opened.store.state();
        return executeOnSqlite(owner.path, sql);
      },
      async crash() {
        await opened.store.close();
        await owner.end();
        await owner.begin();
        opened.store = await open();
      },
      close: () => opened.store.close(),
    };
  }

  async remove(): Promise<void> {
    await this.end();
    rmSync(this.folder, { recursive: true });
  }
}

const openShared: OpenTestDatabase = async () => {
  const owner = await Owner.open();
  const worker = await owner.worker();
  return Object.assign(Object.create(worker, Object.getOwnPropertyDescriptors(worker)) as TestDatabase, {
    close: async () => {
      await worker.close();
      await owner.remove();
    },
  });
};

/** The suites that `npm test` runs through the process that owns the file. The drill runs all suites; sqlite-store.test.ts runs them in one process. */
const THROUGH_THE_OWNER = ["admission", "ending", "idempotency", "keys", "late", "recovery", "traffic"] as const;

describeStore(
  "on SQLite, through the process that owns the file",
  openShared,
  5,
  LEAVES_DRILLS ? THROUGH_THE_OWNER : undefined,
);

describe("workers on one file", () => {
  let owner: Owner;
  const workers: TestDatabase[] = [];
  const open = async (count: number): Promise<TestDatabase[]> => {
    owner = await Owner.open();
    for (let n = 0; n < count; n += 1) workers.push(await owner.worker());
    return workers;
  };
  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.close();
    await owner.remove();
  });

  test("draw on one wallet, each naming its texts by numbers of its own, and all see what each has written", async () => {
    const [one, other] = (await open(2)) as [TestDatabase, TestDatabase];
    const customer = await newCustomer(one, 1000);
    const elsewhere = await newCustomer(other, 77);
    const rounds = Array.from({ length: 40 }, async (_, at) => {
      const { store } = at % 2 === 0 ? one : other;
      const buyer = at % 4 < 2 ? customer : elsewhere;
      const admit = buyer.admitOp({ hold_micro: micro(50), node_id: at % 2 === 0 ? one.node_id : other.node_id });
      const [result] = await store.ledger.commit([admit]);
      return result?.outcome;
    });
    const outcomes = await Promise.all(rounds);
    // 1000 pays for twenty holds of 50, 77 for one.
    expect(outcomes.filter((outcome) => outcome === "admitted").length).toBe(21);
    for (const { store } of [one, other]) {
      const { open_holds, held_micro } = await store.state();
      expect([open_holds.count, held_micro]).toEqual([21, micro(21 * 50)]);
    }
    expect((await one.store.audit()).problems).toEqual([]);
  });

  test("of which one died: its holds are ended at another's word, and nobody else's", async () => {
    const [one, other] = (await open(2)) as [TestDatabase, TestDatabase];
    const customer = await newCustomer(one, 1000);
    const admits = [one, other, other].map(({ node_id }) => customer.admitOp({ hold_micro: micro(50), node_id }));
    await one.store.ledger.commit(admits);
    // Its last message may still be on its way: the word waits for the end of its connection.
    const last = other.store.ledger.commit([customer.admitOp({ hold_micro: micro(50), node_id: other.node_id })]);
    const buried = one.store.ledger.bury(other.node_id);
    await Promise.all([last, other.close()]);
    workers.splice(1);
    expect(await buried).toEqual({ settled: 0, voided: 3 });
    expect((await one.store.state()).open_holds.count).toBe(1);
    expect(await one.store.ledger.bury(other.node_id)).toEqual({ settled: 0, voided: 0 });
  });

  test("whose owner is away are told so at once, and go on with the next one, which ends the holds of the dead alone", async () => {
    const [one, other] = (await open(2)) as [TestDatabase, TestDatabase];
    const customer = await newCustomer(one, 1000);
    const mine = customer.admitOp({ hold_micro: micro(50), node_id: one.node_id });
    const dead = customer.admitOp({ hold_micro: micro(50), node_id: other.node_id });
    await one.store.ledger.commit([mine, dead]);
    await owner.end();
    const refused = await untilAway(one.store);
    expect(refused).toBeInstanceOf(StoreUnavailable);
    await owner.begin([one.node_id]);
    await untilBack(one.store);
    expect((await one.store.state()).open_holds.count).toBe(1);
    // Texts that the last owner was sent are sent again.
    const [result] = await one.store.ledger.commit([settleOp(mine.request_id)]);
    expect(result).toMatchObject({ outcome: "settled" });
    expect("late" in (result ?? {})).toBe(false);
    const [again] = await one.store.ledger.commit([customer.admitOp({ hold_micro: micro(50), node_id: one.node_id })]);
    expect(again).toMatchObject({ outcome: "admitted" });
    expect((await one.store.audit()).problems).toEqual([]);
  });

  test("cannot open or close the owner's database", async () => {
    const [one] = (await open(1)) as [TestDatabase];
    const raw = await RemoteWriter.open(owner.socket, newId("node"));
    for (const task of [{ kind: "close" }, { kind: "open", path: "elsewhere.db", role: "writer" }] as const)
      expect(String(await rejectionOf(raw.ask(task)))).toContain("by the process that owns it");
    await raw.close();
    await one.store.ping();
  });
});

async function untilAway(store: Store): Promise<unknown> {
  for (;;) {
    const thrown = await rejectionOf(store.ping()).catch(() => null);
    if (thrown instanceof StoreUnavailable && thrown.nothing_happened) return thrown;
    await Bun.sleep(5);
  }
}

async function untilBack(store: Store): Promise<void> {
  for (;;) {
    try {
      return await store.ping();
    } catch {
      await Bun.sleep(5);
    }
  }
}
