import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SystemHealth, WorkerHealth } from "../../../../contract/health.ts";
import type { TestKey } from "../../../support/gateway.ts";
import { freshDatabase } from "../../../support/postgres.ts";
import type { ClientStream } from "./client-stream.ts";
import { auditOf, eventually, type Scene, startScene } from "./scene.ts";
import { chat, STYLES, type Style } from "./styles.ts";

/** A gateway of several processes: what becomes of calls and books when one of them ends, however it ends. */

const WORKERS = 2;
const TOKENS = 60;
const MODELS = {
  "acme/quick": { upstream_model: "echo" },
  "acme/paced": { upstream_model: `long@tokens=${TOKENS}&ms=40` },
  "acme/stalls": { upstream_model: "long@tokens=20&fault=stall-mid&after=4" },
};
const STREAMS = 12;
const SETTLED = ["settled", "voided"];
/** Processes start one after the other, on a machine that may have much else to do. */
const PATIENCE_MS = 60_000;

async function start(database: string | undefined): Promise<Scene> {
  const env = { CAMINO_WORKERS: String(WORKERS) };
  return await startScene({ models: MODELS, env, ...(database === undefined ? {} : { database }) });
}

/** The gateway's processes, workers first; the ledger's where there is one. */
async function processesOf(scene: Scene): Promise<readonly WorkerHealth[]> {
  const { workers } = await scene.gateway.admin<SystemHealth>("GET", "/health");
  return workers ?? [];
}

const workersOf = async (scene: Scene) => (await processesOf(scene)).filter(({ worker }) => worker !== null);

/** Waits until every place has a process that serves, none of them one of these. */
async function replaced(scene: Scene, pids: readonly (number | null)[]): Promise<readonly WorkerHealth[]> {
  return await eventually(
    "the replacement",
    async () => {
      const found = await processesOf(scene);
      const whole = found.every(({ state, pid }) => state === "ready" && !pids.includes(pid));
      return whole && found.some(({ worker }) => worker === WORKERS) ? found : null;
    },
    PATIENCE_MS,
  );
}

/** Streams in all styles, on connections of their own, each with some text already. */
async function openStreams(scene: Scene, key: TestKey, count = STREAMS): Promise<ClientStream[]> {
  const styles = Array.from({ length: count }, (_, index) => STYLES[index % STYLES.length] as Style);
  const streams = await Promise.all(styles.map((style) => scene.stream(style, key, "acme/paced", { cap: 1000 })));
  await Promise.all(streams.map((stream) => stream.until(({ text }) => text !== "")));
  return streams;
}

/** Reads streams to their ends, of whatever kind, and says which were complete. */
async function finishAll(streams: readonly ClientStream[]): Promise<{ whole: ClientStream[]; broken: ClientStream[] }> {
  await Promise.all(streams.map((stream) => stream.finish().catch(() => {})));
  return {
    whole: streams.filter(({ ending }) => ending === "complete"),
    broken: streams.filter(({ ending }) => ending !== "complete"),
  };
}

/** Expects that complete answers were charged in full, once each, and that nothing is held. */
async function expectCharged(scene: Scene, key: TestKey, whole: readonly ClientStream[]): Promise<void> {
  await eventually("the end of all holds", async () => {
    const { uncollected_micro } = await scene.wallet(key);
    return uncollected_micro === 0 ? true : null;
  });
  for (const { request_id } of whole) {
    const receipt = await scene.ended(request_id);
    expect(receipt).toMatchObject({ status: "settled", estimated: false });
    expect(receipt.usage?.output_tokens).toBe(TOKENS);
  }
  const charges = (await scene.entries(key)).filter(({ kind }) => kind === "charge").map(({ request }) => request);
  expect(new Set(charges).size).toBe(charges.length);
}

/**
 * Calls one after the other, each on a connection of its own, until it is stopped; every answer's status, 0 for none. A connection that
 * the system gave to a process in the moment in which it stopped listening is made once more, as every client does.
 */
function callAlways(scene: Scene, key: TestKey): { stop(): Promise<Record<number, number>> } {
  const seen: Record<number, number> = {};
  let over = false;
  const running = (async () => {
    while (!over) {
      const ask = async (): Promise<number> => {
        const response = await scene.call(chat, key, "acme/quick", { headers: { connection: "close" } });
        await response.text();
        return response.status;
      };
      const status = await ask()
        .catch(ask)
        .catch(() => 0);
      seen[status] = (seen[status] ?? 0) + 1;
      await Bun.sleep(5);
    }
    return seen;
  })();
  return {
    stop: () => {
      over = true;
      return running;
    },
  };
}

/** One gateway, whose processes end in turn: each test leaves it running, or starts it again. */
export function describeWorkers(kind: "sqlite" | "postgres"): void {
  describe(`a gateway of several processes on ${kind}`, () => {
    let scene: Scene;
    let key: TestKey;

    beforeAll(async () => {
      scene = await start(kind === "postgres" ? await freshDatabase() : undefined);
      key = await scene.newKey({ credit: "100" });
    }, 60_000);
    afterAll(() => scene[Symbol.asyncDispose]());

    test("has as many workers as were asked for, which all answer, and one that keeps the ledger where that is a file", async () => {
      const processes = await processesOf(scene);
      expect(processes.map(({ worker, state }) => `${worker} ${state}`)).toEqual([
        ...Array.from({ length: WORKERS }, (_, index) => `${index + 1} ready`),
        ...(kind === "sqlite" ? ["null ready"] : []),
      ]);
      expect(new Set(processes.map(({ pid }) => pid)).size).toBe(processes.length);
      expect(processes.map(({ pid }) => pid)).not.toContain(scene.gateway.pid);
      const streams = await openStreams(scene, key);
      const busy = (await workersOf(scene)).filter(({ active_streams }) => (active_streams ?? 0) > 0);
      expect(busy.length).toBeGreaterThan(1);
      const { in_flight } = await scene.gateway.admin<SystemHealth>("GET", "/health");
      expect(in_flight).toBe(STREAMS);
      expect((await finishAll(streams)).broken).toEqual([]);
    });

    test("shows the metrics of all processes, whichever is asked", async () => {
      for (let asked = 0; asked < 6; asked += 1) {
        const response = await fetch(`${scene.gateway.url}/metrics`, { keepalive: false });
        const metrics = await response.text();
        for (let worker = 1; worker <= WORKERS; worker += 1)
          expect(metrics).toContain(`camino_worker_up{worker="${worker}"} 1\n`);
        const finished = [...metrics.matchAll(/^camino_requests_total\{worker="\d".*status="200"\} (\d+)$/gm)];
        expect(finished.reduce((sum, [, count]) => sum + Number(count), 0)).toBeGreaterThanOrEqual(STREAMS);
        expect(metrics.match(/^# TYPE camino_requests_total/gm)?.length).toBe(1);
        if (kind === "sqlite") expect(metrics).toContain('camino_worker_up{worker="ledger"} 1\n');
      }
    });

    test("counts requests a minute, requests in flight and money once, not once for each worker", async () => {
      const fresh = { headers: { connection: "close" } };
      const statuses = async (count: number, limited: TestKey, model = "acme/quick") => {
        const made = Array.from({ length: count }, () => scene.call(chat, limited, model, { ...fresh, cap: 100 }));
        const seen = await Promise.all(made.map(async (call) => (await call).status));
        return seen.filter((status) => status === 200).length;
      };
      expect(await statuses(60, await scene.newKey({ rpm: 10 }))).toBe(10);
      const narrow = await scene.newKey({ concurrent: 4 });
      const running = await Promise.all(
        Array.from({ length: 15 }, () => scene.stream(chat, narrow, "acme/stalls", { cap: 100 })),
      );
      expect(running.filter(({ status }) => status === 200).length).toBe(4);
      for (const stream of running) stream.leave();
    });

    test("shares what each worker counts for itself: reads of a key", async () => {
      const limited = await scene.newKey({ rpm: 2 });
      let allowed = 0;
      for (let call = 0; call < 40; call += 1) {
        const headers = { authorization: `Bearer ${limited.key}`, connection: "close" };
        const { status } = await fetch(`${scene.gateway.url}/v1/models`, { headers });
        if (status === 200) allowed += 1;
        // Longer than the workers take to tell each other.
        await Bun.sleep(70);
      }
      // Twenty, and what flows back meanwhile; three workers that do not talk would allow all forty.
      expect(allowed).toBeLessThan(25);
      expect(allowed).toBeGreaterThanOrEqual(20);
    });

    test("knows a changed key in all workers at once, and an answer to go on from in all of them", async () => {
      const changed = await scene.newKey();
      const ask = async () =>
        (await scene.call(chat, changed, "acme/quick", { headers: { connection: "close" } })).status;
      for (let call = 0; call < 9; call += 1) expect(await ask()).toBe(200);
      await scene.gateway.admin("POST", `/keys/${changed.id}/revoke`);
      const after = await Promise.all(Array.from({ length: 12 }, ask));
      expect(after).toEqual(after.map(() => 401));
    });

    test("lets nobody else listen at its port", async () => {
      const { port } = new URL(scene.gateway.url);
      const data = await mkdtemp(join(tmpdir(), "camino-workers-"));
      const command = [`${import.meta.dir}/../../../../bin/camino`, "serve", "--workers", "2", "--port", port];
      const env = { PATH: process.env.PATH ?? "", CAMINO_DATA: data };
      const child = Bun.spawn(command, { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
      expect(await child.stderr.text()).toContain("the port is in use");
      expect(await child.exited).toBe(1);
      await rm(data, { recursive: true, force: true });
    });

    test("goes on when a worker is killed: others' streams end as ever, its own are settled at once, and it is replaced", async () => {
      const streams = await openStreams(scene, key);
      const [victim] = (await workersOf(scene)).filter((each) => !each.this && (each.active_streams ?? 0) > 0);
      const pid = victim?.pid ?? 0;
      process.kill(pid, "SIGKILL");
      // Holds of a silent node end after 15 s and more; these end before the other streams.
      await eventually("the end of the dead worker's holds", async () => {
        const { ledger } = await scene.gateway.admin<SystemHealth>("GET", "/health");
        return (ledger.open_holds?.count ?? STREAMS) <= STREAMS - (victim?.active_streams ?? 0) ? true : null;
      });
      const { whole, broken } = await finishAll(streams);
      expect(broken.length).toBe(victim?.active_streams ?? 0);
      for (const { request_id } of broken) expect(SETTLED).toContain((await scene.ended(request_id)).status);
      const after = await replaced(scene, [pid]);
      expect(after.reduce((sum, { restarts }) => sum + restarts, 0)).toBe(1);
      await expectCharged(scene, key, whole);
    });

    test("replaces a worker that is told to end by itself, and no call is lost", async () => {
      const streams = await openStreams(scene, key);
      const calls = callAlways(scene, key);
      const [one] = await workersOf(scene);
      process.kill(one?.pid ?? 0, "SIGTERM");
      const { whole, broken } = await finishAll(streams);
      expect(broken).toEqual([]);
      await replaced(scene, [one?.pid ?? 0]);
      const { 200: answered = 0, ...others } = await calls.stop();
      expect(answered).toBeGreaterThan(0);
      expect(others).toEqual({});
      await expectCharged(scene, key, whole);
    });
  });
}

/** One gateway, all of whose processes end, in every order: each test leaves it running again. */
export function describeSupervisor(kind: "sqlite" | "postgres"): void {
  describe(`the supervisor of several processes on ${kind}`, () => {
    let scene: Scene;
    let key: TestKey;
    let database: string;

    beforeAll(async () => {
      const url = kind === "postgres" ? await freshDatabase() : undefined;
      scene = await start(url);
      database = url ?? `sqlite:${scene.gateway.data}/camino.db`;
      key = await scene.newKey({ credit: "100" });
    }, 60_000);
    afterAll(() => scene[Symbol.asyncDispose]());

    const startAgain = async (): Promise<void> => {
      expect((await auditOf(database)).problems).toEqual([]);
      scene.gateway = await scene.gateway.restart();
    };

    test("replaces all workers at SIGHUP, one after the other, by such as know the configuration of now", async () => {
      const before = (await workersOf(scene)).map(({ pid }) => pid);
      const file = `${scene.gateway.data}/camino.yaml`;
      const streams = await openStreams(scene, key);
      const calls = callAlways(scene, key);
      const now = JSON.parse(await Bun.file(file).text());
      now.models["acme/new"] = { ...now.models["acme/quick"], upstream_model: "echo" };
      await Bun.write(file, JSON.stringify(now));
      scene.gateway.signal("SIGHUP");
      await replaced(scene, before);
      expect((await scene.call(chat, key, "acme/new", { headers: { connection: "close" } })).status).toBe(200);
      const { whole, broken } = await finishAll(streams);
      expect(broken).toEqual([]);
      const { 200: answered = 0, ...others } = await calls.stop();
      expect(answered).toBeGreaterThan(0);
      expect(others).toEqual({});
      // A file that cannot be used changes nothing.
      const pids = (await workersOf(scene)).map(({ pid }) => pid);
      const good = await Bun.file(file).text();
      await Bun.write(file, "models: [");
      scene.gateway.signal("SIGHUP");
      await eventually("the refusal", async () =>
        scene.gateway.log().includes("a new worker does not start: the old ones go on") ? true : null,
      );
      expect((await workersOf(scene)).map(({ pid }) => pid)).toEqual(pids);
      expect((await scene.call(chat, key, "acme/quick")).status).toBe(200);
      await Bun.write(file, good);
      await expectCharged(scene, key, whole);
    });

    test("drains at SIGTERM, all of it, and ends with 0", async () => {
      const processes = (await processesOf(scene)).map(({ pid }) => pid ?? 0);
      const streams = await openStreams(scene, key);
      scene.gateway.signal("SIGTERM");
      const { broken } = await finishAll(streams);
      expect(broken).toEqual([]);
      const status = await scene.gateway.exited;
      // The end of the log says what went wrong.
      expect(status === 0 ? "" : scene.gateway.log().slice(-3000)).toBe("");
      expect(processes.filter(isRunning)).toEqual([]);
      await startAgain();
    });

    test("cuts what runs at a second SIGTERM, and settles it", async () => {
      const streams = await openStreams(scene, key);
      scene.gateway.signal("SIGTERM");
      await eventually("draining", async () => (scene.gateway.log().includes('"draining"') ? true : null));
      scene.gateway.signal("SIGTERM");
      const { whole } = await finishAll(streams);
      expect(whole).toEqual([]);
      expect(await scene.gateway.exited).toBe(0);
      await startAgain();
      for (const { request_id } of streams) {
        const receipt = await scene.ended(request_id);
        // Recovery sets no duration, so the process that served the request has settled it.
        expect([receipt.status, receipt.duration_ms === null]).toEqual(["settled", false]);
      }
    });

    test("leaves no process behind when its supervisor is killed, and can be started again at once", async () => {
      const processes = (await processesOf(scene)).map(({ pid }) => pid ?? 0);
      const streams = await openStreams(scene, key);
      scene.gateway.signal("SIGKILL");
      await finishAll(streams);
      await eventually("the end of all processes", async () => (processes.some(isRunning) ? null : true));
      scene.gateway = await scene.gateway.restart();
      await expectCharged(scene, key, []);
      await scene.gateway.stop();
      expect((await auditOf(database)).problems).toEqual([]);
    });
  });
}

/** The process that owns the file, which only the embedded database has. */
export function describeLedgerProcess(): void {
  describe("the process that keeps the ledger of an embedded database", () => {
    let scene: Scene;
    let key: TestKey;

    beforeAll(async () => {
      scene = await start(undefined);
      key = await scene.newKey({ credit: "100" });
    }, 60_000);
    afterAll(() => scene[Symbol.asyncDispose]());

    test("is started again when it is killed: streams go on and are charged, calls meanwhile get 503 or wait", async () => {
      const streams = await openStreams(scene, key);
      const calls = callAlways(scene, key);
      const ledger = (await processesOf(scene)).find(({ worker }) => worker === null);
      process.kill(ledger?.pid ?? 0, "SIGKILL");
      await Bun.sleep(200);
      const { whole, broken } = await finishAll(streams);
      expect(broken).toEqual([]);
      const after = await replaced(scene, [ledger?.pid ?? 0]);
      expect(after.find(({ worker }) => worker === null)?.restarts).toBe(1);
      expect((await scene.call(chat, key, "acme/quick")).status).toBe(200);
      const seen = await calls.stop();
      expect(Object.keys(seen).filter((status) => !["200", "503"].includes(status))).toEqual([]);
      // The workers lived: nothing of theirs was taken for left behind.
      for (const { request_id } of whole) expect((await scene.ended(request_id)).late).toBeFalsy();
      await expectCharged(scene, key, whole);
    });

    test("is away together with a worker: what that one held is ended as after a crash", async () => {
      const streams = await openStreams(scene, key);
      const processes = await processesOf(scene);
      const ledger = processes.find(({ worker }) => worker === null);
      const victim = processes.find(({ worker, active_streams }) => worker !== null && (active_streams ?? 0) > 0);
      for (const each of [ledger, victim]) process.kill(each?.pid ?? 0, "SIGKILL");
      const { whole, broken } = await finishAll(streams);
      expect(broken.length).toBe(victim?.active_streams ?? 0);
      await replaced(scene, [ledger?.pid ?? 0, victim?.pid ?? 0]);
      for (const { request_id } of broken) expect(SETTLED).toContain((await scene.ended(request_id)).status);
      await expectCharged(scene, key, whole);
    });

    test("leaves books that are right", async () => {
      await scene.gateway.stop();
      expect((await auditOf(`sqlite:${scene.gateway.data}/camino.db`)).problems).toEqual([]);
    });
  });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
