import { expect, test } from "bun:test";
import { Check } from "typebox/value";
import { SystemHealth } from "../../../contract/health.ts";
import { micro } from "../../core/money/money.ts";
import type { StoreState } from "../../core/store/store-state.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import type { ConfigurationElements } from "../../pipeline/configuration/configuration-elements.ts";
import type { Actor } from "../answer/actor.ts";
import type { Administration, WorkerState } from "../answer/administration.ts";
import type { ConsoleDeps } from "../answer/route.ts";
import { healthRoutes } from "./health-routes.ts";

const ADMIN: Actor = { kind: "admin-token" };
const NOW_MS = Date.UTC(2026, 9, 1);
const LEFT_OUT = ["one", "two", "three", "four", "five", "six"].map((name) => `model acme/${name}`);
const STATE: StoreState = {
  open_holds: { count: 2, sum_micro: micro(300), oldest_ms: NOW_MS - 1000 },
  held_micro: micro(300),
  open_incidents: 2,
  nodes: [
    { id: "node_me", seen_ms: NOW_MS - 10, alive: true },
    { id: "node_gone", seen_ms: NOW_MS - 60_000, alive: false },
  ],
};

/** The answer to `GET /health` of a gateway with this database and state. */
async function health(
  store: Partial<Administration["store"]>,
  running: { draining: boolean },
  workers?: readonly WorkerState[],
) {
  const left_out = new Map(LEFT_OUT.map((name) => [name, []]));
  const elements: ConfigurationElements = Object.create({ state: { left_out } });
  const administration = {
    store: {
      kind: "postgres",
      description: "postgres db/camino",
      ping: async () => {},
      conditions: () => [],
      state: async () => STATE,
      ...store,
    },
    ledger: { pending: 7 },
    gateway: { version: "1.2.3", node_id: "node_me", host: "box", pid: 1, started_ms: NOW_MS - 90_500 },
    running: () => ({ in_flight: 3, active_streams: 1, ...running }),
    audit: () => ({ hour: 3, running: false, last: null }),
    elements,
    ...(workers !== undefined && { workers: async () => workers }),
    eventLoopDelay: () => ({ mean: 1, p99: 2, max: 3 }),
    clock: { now_ms: () => NOW_MS, monotonic_ms: () => 0 },
  };
  const deps = { administration, configuration: { currency: "USD" } } as Partial<ConsoleDeps> as ConsoleDeps;
  const [route] = healthRoutes;
  const request = { method: "GET", path: "/console/api/health", query: new URLSearchParams(), body: undefined };
  const answer = await route?.run(deps, ADMIN, request, {});
  const body: unknown = answer?.body;
  if (!Check(SystemHealth, body)) throw new Error(`not as the contract says: ${JSON.stringify(body)}`);
  return body;
}

test("health names the first elements of the configuration that are left out, and says how many there are", async () => {
  const { left_out } = await health({}, { draining: false });
  expect(left_out).toEqual({ count: LEFT_OUT.length, first: LEFT_OUT.slice(0, 5) });
});

test("health lists the nodes that live and those that do not, and the open holds", async () => {
  expect(await health({}, { draining: false })).toMatchObject({
    status: "ok",
    uptime_s: 90,
    in_flight: 3,
    nodes: [
      { id: "node_me", alive: true, this: true },
      { id: "node_gone", alive: false, this: false },
    ],
    ledger: { queue_depth: 7, open_holds: { count: 2, sum_micro: 300 }, uncollected_micro: 300, open_incidents: 2 },
  });
});

test("health reports that the gateway is draining", async () => {
  expect(await health({}, { draining: true })).toMatchObject({ status: "draining", draining: true });
});

test("health is reported while the database is down, with the reason", async () => {
  const ping = () => Promise.reject(new Error("connection refused"));
  expect(await health({ ping }, { draining: true })).toMatchObject({
    status: "down",
    nodes: null,
    ledger: { queue_depth: 7, open_holds: null, uncollected_micro: null, oldest_hold_at: null, open_incidents: null },
    database: { ping_ms: null, error: "connection refused", trouble: null },
  });
});

test("health says what is wrong with a database that answers and takes no changes", async () => {
  for (const trouble of ["disk_full", "read_only"] as const) {
    const ping = () => Promise.reject(new StoreUnavailable(trouble, "it says so", { nothing_happened: true }));
    expect(await health({ ping }, { draining: false })).toMatchObject({
      status: "down",
      database: { error: "it says so", trouble },
    });
  }
});

test("health warns of settings of the database that put commits at risk", async () => {
  const conditions = () => [{ code: "fsync_off", text: "fsync is off: a crash may lose something." }];
  expect(await health({ conditions }, { draining: false })).toMatchObject({
    status: "ok",
    database: { error: null, trouble: null, warnings: ["fsync is off: a crash may lose something."] },
  });
});

test("health shows all processes of a gateway, and adds up what they do", async () => {
  const vitals = { in_flight: 2, active_streams: 1, queue_depth: 5, rss_bytes: 1000 };
  const worker = { state: "ready", pid: 1, node: "node_me", started_ms: NOW_MS - 5000, restarts: 0, vitals } as const;
  const workers = [
    { ...worker, worker: 1 },
    { ...worker, worker: 2, pid: 2, node: "node_other", restarts: 3 },
    { ...worker, worker: 3, state: "down", pid: null, node: null, started_ms: null, vitals: null } as const,
    {
      ...worker,
      worker: null,
      pid: 4,
      node: null,
      vitals: { ...vitals, in_flight: 0, active_streams: 0, queue_depth: 1 },
    },
  ];
  const seen = await health({}, { draining: false }, workers);
  expect(seen).toMatchObject({ in_flight: 4, active_streams: 2, ledger: { queue_depth: 11 } });
  expect(seen.workers).toMatchObject([
    { worker: 1, state: "ready", this: true, uptime_s: 5, in_flight: 2, restarts: 0 },
    { worker: 2, this: false, restarts: 3 },
    { worker: 3, state: "down", pid: null, uptime_s: null, in_flight: null },
    { worker: null, this: false, rss_bytes: 1000 },
  ]);
});

test("health of a gateway that is one process has no list of processes", async () => {
  expect(await health({}, { draining: false })).toMatchObject({ workers: null, in_flight: 3 });
});
