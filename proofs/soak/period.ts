import { eventually } from "../suites/failures/support/scene.ts";
import type { Gateway, TestKey } from "../support/gateway.ts";
import { audit } from "../torture/audit.ts";
import { Draw } from "../torture/draw.ts";
import type { ClientCall, RoundHistory } from "../torture/history.ts";
import { runLoad } from "../torture/load.ts";
import { makeRoundKeys, type RoundKey, readBooks } from "../torture/read-books.ts";
import type { Finding } from "../torture/reconcile/finding.ts";
import { reconcile } from "../torture/reconcile/reconcile.ts";
import { vendorCalls } from "../torture/vendor-log.ts";
import { changeKeys } from "./key-changes.ts";
import { usageOf } from "./measure.ts";
import { probe } from "./probe.ts";
import { percentile, type Sample } from "./sample.ts";
import { makeSideCalls } from "./side-calls.ts";
import type { SoakWorld } from "./soak-world.ts";

export interface PeriodPlan {
  /** The period's position in the run. */
  readonly number: number;
  readonly seed: number;
  readonly callers: number;
  readonly load_ms: number;
  /** Whether some of its calls take some twenty seconds. */
  readonly long: boolean;
  /** Whether the books are audited after it. */
  readonly audited: boolean;
}

export interface PeriodSeen {
  readonly sample: Omit<Sample, "at_s" | "findings">;
  readonly history: RoundHistory;
  readonly findings: readonly Finding[];
  readonly key_changes: number;
  readonly side_calls: number;
  /** How long the audit took; 0 without one. */
  readonly audit_ms: number;
}

const MICRO = 1_000_000;
const PROBE_CREDIT = 1000;
/** The position of the probe among the callers, in its calls' ids. */
const PROBE = 9999;
/** Longer than a vendor may take in all, and than what a client's leaving sets off. */
const REST_PATIENCE_MS = 60_000;

/** Calls of every kind for a while; then rest, a measurement, and the books compared with what clients and vendors saw. */
export async function runPeriod(world: SoakWorld, plan: PeriodPlan): Promise<PeriodSeen> {
  const { gateway, simulator, rude } = world;
  simulator.log.clear();
  rude.forget();
  const accounts = await makeKeys(gateway);
  const { made, changes, side, duration_ms, cpu_ms } = await makeCalls(world, plan, accounts);
  const findings: Finding[] = [...side.findings, ...(await atRest(gateway))];
  const at_rest = usageOf(gateway.pid);
  const books = await readBooks(gateway, accounts);
  const vendor = vendorCalls(simulator.log, rude.requests);
  const began_ms = performance.now();
  const problems = plan.audited ? await audit({ database_url: world.database_url }) : [];
  const audit_ms = plan.audited ? performance.now() - began_ms : 0;
  const calls = made.calls.filter((call) => !wasRefusedForItsKey(call, changes.disturbed));
  const history = { calls, vendor, accounts: books, deaths: [], told_loss: false, audit: problems };
  findings.push(...reconcile(history));
  const whole = made.probed.calls.filter(({ ending }) => ending === "whole");
  const latencies = whole.map((call) => call.ended_ms - call.began_ms);
  const count = made.calls.length;
  const sample = {
    calls: count,
    calls_per_s: (count * 1000) / duration_ms,
    memory_bytes: at_rest.memory_bytes,
    handles: at_rest.handles,
    low_ms: percentile(latencies, 0.1),
    p50_ms: percentile(latencies, 0.5),
    p95_ms: percentile(latencies, 0.95),
    direct_ms: percentile(made.probed.direct_ms, 0.5),
    cpu_ms_per_call: cpu_ms / count,
    held_micro: books.reduce((sum, { uncollected_micro }) => sum + uncollected_micro, 0),
  };
  return { sample, history, findings, key_changes: changes.count, side_calls: side.count, audit_ms };
}

/** The accounts of a torture's round, and the probe's last. */
async function makeKeys(gateway: Gateway): Promise<RoundKey[]> {
  const keys = await makeRoundKeys(gateway);
  const key = await gateway.newKey({ credit: String(PROBE_CREDIT), rpm: 1_000_000 });
  return [...keys, { ...key, credited_micro: PROBE_CREDIT * MICRO, budget_micro: null }];
}

async function makeCalls({ gateway, simulator }: SoakWorld, plan: PeriodPlan, accounts: readonly RoundKey[]) {
  const { number, seed, callers, load_ms, long } = plan;
  const probe_key = accounts.at(-1) as RoundKey;
  // The load draws from these, and keys are replaced meanwhile.
  const keys: TestKey[] = accounts.slice(0, -1);
  const began_ms = performance.now();
  const before = usageOf(gateway.pid);
  const isOver = (): boolean => performance.now() - began_ms > load_ms;
  const url = (): string => gateway.url;
  const round = { seed, load_ms, workers: callers, long, harms: [] };
  const [loaded, probed, changes, side] = await Promise.all([
    runLoad({ plan: round, round: number, lane: 0, keys, nodes: 1, url }),
    probe({
      gateway_url: gateway.url,
      vendor_url: simulator.base_url,
      key: probe_key,
      idOf: (count) => `call-0-${number}-${PROBE}-${count}`,
      isOver,
    }),
    changeKeys(gateway, keys, new Draw(seed * 7 + 1), isOver),
    makeSideCalls(gateway, () => keys[0] as TestKey, new Draw(seed * 7 + 2), isOver),
  ]);
  const duration_ms = performance.now() - began_ms;
  const cpu_ms = usageOf(gateway.pid).cpu_ms - before.cpu_ms;
  return { made: { calls: [...loaded, ...probed.calls], probed }, changes, side, duration_ms, cpu_ms };
}

/** A call with a key that was disabled, revoked or deleted meanwhile: it must not be in the books, where it would be found. */
function wasRefusedForItsKey({ status, key }: ClientCall, disturbed: ReadonlySet<string>): boolean {
  return status === 401 && disturbed.has(key);
}

/** Waits until nothing is in flight, and tells what does not come to an end. Holds are looked at in the books. */
async function atRest({ url }: Gateway): Promise<Finding[]> {
  const counts = async (): Promise<readonly (readonly [string, number])[]> => {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    return ["camino_requests_in_flight", "camino_ledger_pending"].map((name) => [name, sumOf(metrics, name)] as const);
  };
  const quiet = async (): Promise<true | null> => ((await counts()).every(([, count]) => count === 0) ? true : null);
  try {
    await eventually("rest", quiet, REST_PATIENCE_MS, 50);
    return [];
  } catch {
    const left = (await counts()).map(([name, count]) => `${name} ${count}`).join(", ");
    return [{ kind: "held", what: `not at rest after ${REST_PATIENCE_MS / 1000} s: ${left}` }];
  }
}

/** The sum of a metric's samples, those of all of the gateway's processes. NaN where there is none. */
export function sumOf(metrics: string, name: string): number {
  const found = [...metrics.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "gm"))];
  return found.length === 0 ? Number.NaN : found.reduce((sum, [, value]) => sum + Number(value), 0);
}
