import type { GatewayNode, SystemHealth } from "../../../contract/health.ts";
import type { AuditState } from "../../core/audit-outcome.ts";
import { toJsonNumber } from "../../core/money.ts";
import type { StoreState } from "../../core/ports.ts";
import { type StoreTrouble, StoreUnavailable } from "../../core/store-errors.ts";
import type { Administration } from "../administration.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { showTime } from "../show/show.ts";

export const healthRoutes = [
  route({
    method: "GET",
    path: "/health",
    role: "administrator",
    handle: async (call) => ({ status: 200, body: await showHealth(call) }),
  }),
];

async function showHealth({ deps }: ConsoleCall<unknown, unknown>): Promise<SystemHealth> {
  const { administration, configuration } = deps;
  const { gateway, store, running, clock } = administration;
  const now = running();
  const { state, ...answered } = await askDatabase(administration);
  const warnings = store.conditions().map(({ text }) => text);
  return {
    status: answered.error !== null ? "down" : now.draining ? "draining" : "ok",
    version: gateway.version,
    node: gateway.node_id,
    host: gateway.host,
    started_at: showTime(gateway.started_ms),
    uptime_s: Math.floor((clock.now_ms() - gateway.started_ms) / 1000),
    ...now,
    currency: configuration.currency,
    nodes: state && showNodes(state, administration),
    ledger: showLedger(state, administration),
    audit: showAudit(administration.audit()),
    database: { kind: store.kind, description: store.description, ...answered, warnings },
    process: showProcess(administration),
  };
}

/** How long the database may take to answer before it counts as down: a page waits for this. */
const PATIENCE_MS = 5000;

interface Asked {
  readonly ping_ms: number | null;
  readonly error: string | null;
  readonly trouble: StoreTrouble | null;
  readonly state: StoreState | null;
}

async function askDatabase({ store, clock }: Administration): Promise<Asked> {
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

function showLedger(state: StoreState | null, { ledger }: Administration): SystemHealth["ledger"] {
  const { open_holds, held_micro } = state ?? { open_holds: null, held_micro: null };
  return {
    queue_depth: ledger.pending,
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
