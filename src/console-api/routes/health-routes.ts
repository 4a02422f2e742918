import type { GatewayNode, SystemHealth, WorkerHealth } from "../../../contract/health.ts";
import { toJsonNumber } from "../../core/money/money.ts";
import type { AuditState } from "../../core/operations/upkeep.ts";
import type { StoreState } from "../../core/store/store-state.ts";
import { type StoreTrouble, StoreUnavailable } from "../../core/store-errors.ts";
import type { Administration, WorkerState } from "../answer/administration.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { showTime } from "../show/show.ts";

export const healthRoutes = [route("GET /health", "administrator", { show: showHealth })];

async function showHealth({ deps }: ConsoleCall): Promise<SystemHealth> {
  const { administration, configuration } = deps;
  const { gateway, store, running, clock } = administration;
  const now = running();
  const [{ state, ...answered }, processes = null] = await Promise.all([
    askDatabase(administration),
    administration.workers?.(),
  ]);
  const all = sumOf(processes, { ...now, queue_depth: administration.ledger.pending });
  const warnings = store.conditions().map(({ text }) => text);
  return {
    status: answered.error !== null ? "down" : now.draining ? "draining" : "ok",
    version: gateway.version,
    node: gateway.node_id,
    host: gateway.host,
    started_at: showTime(gateway.started_ms),
    uptime_s: Math.floor((clock.now_ms() - gateway.started_ms) / 1000),
    in_flight: all.in_flight,
    active_streams: all.active_streams,
    draining: now.draining,
    currency: configuration.currency,
    nodes: state && showNodes(state, administration),
    workers: processes && showWorkers(processes, administration),
    ledger: showLedger(state, all.queue_depth),
    audit: showAudit(administration.audit()),
    left_out: showLeftOut(administration.elements.state.left_out),
    database: { kind: store.kind, description: store.description, ...answered, warnings },
    process: showProcess(administration),
  };
}

const NAMED = 5;

function showLeftOut(left_out: ReadonlyMap<string, unknown>): SystemHealth["left_out"] {
  return { count: left_out.size, first: [...left_out.keys()].slice(0, NAMED) };
}

type Load = Pick<NonNullable<WorkerState["vitals"]>, "in_flight" | "active_streams" | "queue_depth">;

/** The load of all processes; of this one where it is the only one, or does not know of the others. */
function sumOf(processes: readonly WorkerState[] | null, own: Load): Load {
  if (processes === null) return own;
  const sum = (of: (load: Load) => number): number =>
    processes.reduce((total, { vitals }) => total + (vitals === null ? 0 : of(vitals)), 0);
  return {
    in_flight: sum(({ in_flight }) => in_flight),
    active_streams: sum(({ active_streams }) => active_streams),
    queue_depth: sum(({ queue_depth }) => queue_depth),
  };
}

function showWorkers(processes: readonly WorkerState[], { gateway, clock }: Administration): WorkerHealth[] {
  const now_ms = clock.now_ms();
  return processes.map(({ worker, state, pid, node, started_ms, restarts, vitals }) => ({
    ...{ worker, state, this: pid === gateway.pid, pid, node, restarts },
    started_at: started_ms === null ? null : showTime(started_ms),
    uptime_s: started_ms === null ? null : Math.max(0, Math.floor((now_ms - started_ms) / 1000)),
    in_flight: vitals?.in_flight ?? null,
    active_streams: vitals?.active_streams ?? null,
    queue_depth: vitals?.queue_depth ?? null,
    rss_bytes: vitals?.rss_bytes ?? null,
  }));
}

/** How long the database may take to answer before it counts as down: a page waits for this. */
const PATIENCE_MS = 5000;

interface DatabaseHealth {
  readonly ping_ms: number | null;
  readonly error: string | null;
  readonly trouble: StoreTrouble | null;
  readonly state: StoreState | null;
}

async function askDatabase({ store, clock }: Administration): Promise<DatabaseHealth> {
  const began_ms = clock.monotonic_ms();
  try {
    await within(PATIENCE_MS, store.ping());
    const ping_ms = Math.round((clock.monotonic_ms() - began_ms) * 100) / 100;
    return { ping_ms, error: null, trouble: null, state: await within(PATIENCE_MS, store.state()) };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown.message : String(thrown);
    return { ping_ms: null, error, trouble: thrown instanceof StoreUnavailable ? thrown.trouble : null, state: null };
  }
}

async function within<Result>(patience_ms: number, asked: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${patience_ms} ms`)), patience_ms);
  try {
    return await Promise.race([asked, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** An embedded database keeps no marks, because this process is the only one on it. */
function showNodes({ nodes }: StoreState, { gateway, store, clock }: Administration): GatewayNode[] {
  if (store.kind === "sqlite") {
    return [{ id: gateway.node_id, seen_at: showTime(clock.now_ms()), alive: true, this: true }];
  }
  return nodes.map(({ id, seen_ms, alive }) => {
    return { id, seen_at: showTime(seen_ms), alive, this: id === gateway.node_id };
  });
}

function showAudit({ hour, running, last }: AuditState): SystemHealth["audit"] {
  if (last === null) return { hour, running, last };
  const { at_ms, first, ...rest } = last;
  return { hour, running, last: { at: showTime(at_ms), ...rest, first: [...first] } };
}

function showLedger(state: StoreState | null, queue_depth: number): SystemHealth["ledger"] {
  const { open_holds, held_micro } = state ?? { open_holds: null, held_micro: null };
  return {
    queue_depth,
    open_holds: open_holds && { count: open_holds.count, sum_micro: toJsonNumber(open_holds.sum_micro) },
    uncollected_micro: held_micro === null ? null : toJsonNumber(held_micro),
    oldest_hold_at: open_holds?.oldest_ms ? showTime(open_holds.oldest_ms) : null,
    open_incidents: state?.open_incidents ?? null,
  };
}

function showProcess({ gateway, eventLoopDelay }: Administration): SystemHealth["process"] {
  const { rss, heapUsed } = process.memoryUsage();
  return {
    pid: gateway.pid,
    rss_bytes: rss,
    heap_used_bytes: heapUsed,
    event_loop_delay_ms: { ...eventLoopDelay() },
  };
}
