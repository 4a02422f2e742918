import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { faultyProxy } from "../../../proofs/support/faulty-proxy.ts";
import { startPair } from "../../../proofs/support/postgres.ts";
import { makePostgres, type PostgresServer } from "../../../proofs/support/postgres-server.ts";
import { type TwoNodes, twoNodes } from "../../../proofs/support/two-nodes.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import { type Customer, settleOp } from "../suite/books.ts";

const SETTINGS = ["wal_writer_delay=10s", "wal_writer_flush_after=1GB", "shared_buffers=64MB", "autovacuum=off"];

let folder: string;
let server: PostgresServer;
let databases = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-release-"));
  await chmod(folder, 0o755);
  server = await makePostgres(folder, { settings: SETTINGS });
  await server.start();
}, 60_000);
afterAll(async () => {
  await server?.remove();
  await rm(folder, { recursive: true, force: true });
});

/** A new database of the server, which commits without a flush by itself: only the gateways' own flushes make commits durable. */
async function newDatabase(): Promise<string> {
  const base = `postgres://postgres@127.0.0.1:${server.port}`;
  const name = `crash_${++databases}`;
  const admin = new SQL(`${base}/postgres`, { max: 1 });
  await admin.unsafe(`CREATE DATABASE ${name}`);
  await admin.unsafe(`ALTER DATABASE ${name} SET synchronous_commit = off`);
  await admin.close();
  return `${base}/${name}`;
}

/** Stops the server's own writers: a commit that the gateways do not flush is lost with the server. */
async function stopWriters({ raw }: TwoNodes): Promise<void> {
  const found = await raw.unsafe<{ pid: number }[]>(
    "SELECT pid FROM pg_stat_activity WHERE backend_type IN ('walwriter', 'background writer', 'checkpointer')",
  );
  for (const { pid } of found) process.kill(pid, "SIGSTOP");
}

/** Kills every process of the server at once, as when its machine loses its power, and starts the server on the files that are left. */
async function crash(): Promise<void> {
  const main = server.pid() ?? 0;
  const children = readFileSync(`/proc/${main}/task/${main}/children`, "utf8").trim().split(" ").map(Number);
  const all = [main, ...children];
  for (const pid of all) process.kill(pid, "SIGKILL");
  while (all.some(isRunning)) await Bun.sleep(5);
  await server.ensureRunning();
}

/** Whether a process runs, and is not one that has ended and was not waited for. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** Resolves when this many sessions sleep in their second transaction. */
async function sleeping({ raw }: TwoNodes, count: number): Promise<void> {
  for (;;) {
    const found = await raw.unsafe("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
    if (found.length === count) return;
    await Bun.sleep(5);
  }
}

/** The outcome of a commit: its result, or "unknown" where nobody can say. */
function fateOf<Result>(asked: Promise<Result>): Promise<Result | "unknown" | "nothing happened"> {
  return asked.catch((thrown: unknown) => {
    if (!(thrown instanceof StoreUnavailable)) throw thrown;
    return thrown.nothing_happened ? "nothing happened" : "unknown";
  });
}

async function statusOf({ raw }: TwoNodes, id: string): Promise<string | null> {
  for (;;) {
    try {
      const [found] = await raw.unsafe("SELECT status FROM requests WHERE id = $1", [id]);
      return found?.status ?? null;
    } catch {
      // The test's own connection has ended with the server.
      await Bun.sleep(20);
    }
  }
}

describe("when every process of the server is killed", () => {
  test("an unflushed commit is gone, was acknowledged to nobody, and takes place when it is sent again", async () => {
    await using nodes = await twoNodes(await newDatabase());
    const { one, running } = nodes;
    await stopWriters(nodes);
    await nodes.trap({ sleep_s: 60 });
    const fate = fateOf(one.commit(settleOp(running.one)));
    await sleeping(nodes, 1);
    // A reader sees it: the first transaction is committed.
    expect(await statusOf(nodes, running.one)).toBe("settled");
    await crash();
    expect(await fate).toBe("unknown");
    expect(await statusOf(nodes, running.one)).toBe("held");
    expect(await one.settle(running.one)).toMatchObject({ outcome: "settled", charge_micro: 40n });
    expect((await one.database.store.audit()).problems).toEqual([]);
  }, 60_000);

  test("an acknowledged commit of another gateway on top of it keeps it", async () => {
    await using nodes = await twoNodes(await newDatabase());
    const { one, two, running } = nodes;
    await stopWriters(nodes);
    await nodes.trap({ sleep_s: 60 });
    const fate = fateOf(one.commit(settleOp(running.one)));
    await sleeping(nodes, 1);
    // Its entry is chained to the one that is not flushed yet.
    expect(await two.settle(running.two)).toMatchObject({ outcome: "settled" });
    await crash();
    expect(await fate).toBe("unknown");
    expect(await statusOf(nodes, running.one)).toBe("settled");
    expect(await statusOf(nodes, running.two)).toBe("settled");
    expect(await one.settle(running.one)).toMatchObject({ outcome: "already_ended", status: "settled" });
    expect((await one.database.store.audit()).problems).toEqual([]);
  }, 60_000);

  test("a commit that another gateway has only read is kept as well", async () => {
    await using nodes = await twoNodes(await newDatabase());
    const { one, two, running } = nodes;
    await two.settle(running.two);
    // The other one knows of no gateway beside it, and commits as if it were alone.
    await two.database.store.ledger.sweep(two.database.node_id, () => "running");
    await stopWriters(nodes);
    await nodes.trap({ sleep_s: 60 });
    const fate = fateOf(one.commit(settleOp(running.one)));
    await sleeping(nodes, 1);
    expect(await two.settle(running.one)).toMatchObject({ outcome: "already_ended", status: "settled" });
    await crash();
    expect(await fate).toBe("unknown");
    expect(await statusOf(nodes, running.one)).toBe("settled");
  }, 60_000);

  test("a gateway forgets which texts it has read there, as their numbers may be given to others", async () => {
    await using nodes = await twoNodes(await newDatabase());
    const { one, two } = nodes;
    const price = (version: string) => ({ ...one.admitOp().price, version });
    await stopWriters(nodes);
    for (let sleeper = 0; sleeper < 2; sleeper += 1)
      await nodes.raw.unsafe("INSERT INTO traps SELECT last_value + 1 + $1, NULL, 60 FROM flushes", [sleeper]);
    // The first adds the text, the second finds and remembers it; both are lost.
    const lost = one.admitOp({ price: price("lost") });
    const first = fateOf(one.commit(lost));
    await sleeping(nodes, 1);
    const second = fateOf(two.admit({ price: price("lost") }));
    await sleeping(nodes, 2);
    await crash();
    expect(await Promise.all([first, second])).toEqual(["unknown", "unknown"]);
    expect(await statusOf(nodes, lost.request_id)).toBeNull();
    const [other, again] = [await one.hold({ price: price("other") }), await two.hold({ price: price("lost") })];
    for (const [id, version] of [
      [other, "other"],
      [again, "lost"],
    ] as const) {
      expect((await one.database.store.accounts.findRequest(null, id))?.price).toMatchObject({ version });
    }
  }, 60_000);

  test("in the middle of calls, all that was acknowledged to either gateway is there, once", async () => {
    await using nodes = await twoNodes(await newDatabase());
    const { one, two } = nodes;
    const acknowledged: string[] = [];
    let crashed = false;
    const calls = async (each: Customer): Promise<void> => {
      while (!crashed) {
        const admits = Array.from({ length: 5 }, () => each.admitOp());
        const ids = admits.map(({ request_id }) => request_id);
        if (!Array.isArray(await fateOf(each.commit(...admits)))) return;
        if (!Array.isArray(await fateOf(each.commit(...ids.map((id) => settleOp(id)))))) return;
        acknowledged.push(...ids);
      }
    };
    const calling = Promise.all([calls(one), calls(two)]);
    while (acknowledged.length < 100) await Bun.sleep(5);
    await crash();
    crashed = true;
    await calling;
    await statusOf(nodes, "none");
    const found = await nodes.raw.unsafe<{ id: string }[]>("SELECT id FROM requests WHERE status = 'settled'");
    expect(new Set(acknowledged).difference(new Set(found.map(({ id }) => id))).size).toBe(0);
    expect((await one.database.store.audit()).problems).toEqual([]);
  }, 60_000);
});

describe("where a standby is waited for", () => {
  test("the next batch of a wallet waits for no flush, and no batch is acknowledged before the standby has it", async () => {
    const replication = await faultyProxy(0);
    const pair = await startPair(async (primary_port) => {
      replication.target = primary_port;
      return replication.port;
    });
    const urlOf = (port: number): string => `postgres://postgres@127.0.0.1:${port}/postgres`;
    const standby = new SQL(urlOf(pair.standby_port), { max: 1 });
    await using nodes = await twoNodes(urlOf(pair.primary_port));
    const { one, two, raw } = nodes;
    await raw.unsafe("ALTER DATABASE postgres SET synchronous_commit = remote_apply");
    await raw.unsafe("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await raw.unsafe("SELECT pg_reload_conf()");
    // Sessions that were open before have the operator's new setting from their next start on.
    await raw.unsafe("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'camino'");
    const reconnected = async (each: Customer): Promise<string> => {
      for (;;) {
        const fate = await fateOf(each.hold());
        if (fate.startsWith("req")) return fate;
      }
    };
    await reconnected(one);
    await reconnected(two);
    await nodes.sweep();
    // An acknowledged commit can be read at the standby at once.
    for (let round = 0; round < 5; round += 1) {
      for (const each of [one, two]) {
        const id = await each.hold();
        expect(await standby.unsafe("SELECT 1 FROM requests WHERE id = $1", [id])).toHaveLength(1);
      }
    }
    replication.stall();
    const ops = [one.admitOp(), two.admitOp()] as const;
    const fates = Promise.all([fateOf(one.commit(ops[0])), fateOf(two.commit(ops[1]))]);
    const waiting = async (): Promise<string[]> => {
      const found = await raw.unsafe<{ wait_event: string }[]>(
        "SELECT wait_event FROM pg_stat_activity WHERE application_name = 'camino' AND wait_event_type IN ('IPC', 'Lock') ORDER BY 1",
      );
      return found.map(({ wait_event }) => wait_event);
    };
    while ((await waiting()).length < 2) await Bun.sleep(5);
    // Both wait for the standby, and none for the other's lock.
    expect(await waiting()).toEqual(["SyncRep", "SyncRep"]);
    // No time that is over ends their wait as if the standby had it.
    expect(await fates).toEqual(["unknown", "unknown"]);
    replication.flow();
    // The ledger voids admissions of unknown outcome, as often as it takes; so does this test.
    for (const { request_id } of ops) {
      while (typeof (await fateOf(one.void(request_id))) === "string") await Bun.sleep(20);
      expect(await statusOf(nodes, request_id)).toBe("voided");
    }
    expect((await one.database.store.audit()).problems).toEqual([]);
    await standby.close();
    await replication[Symbol.asyncDispose]();
  }, 60_000);
});
