import { runLoad, runOpenLoad, targetOf } from "../drive.ts";
import { type Shape, WHOLE } from "../exchange.ts";
import type { RoundFigures } from "../rounds.ts";
import { cpuOf, type Subject } from "./served.ts";

/** The time in which a program may finish work after its answers, which counts as part of the answers' cost. */
const SETTLE_MS = 100;

export interface Calls {
  readonly calls: number;
  readonly concurrency: number;
  readonly shape?: Shape;
  /** Keys to call with, drawn anew for each call; without them the subject's own. */
  readonly keys?: readonly string[];
}

/**
 * Calls a subject in a closed loop and resolves with the round's figures: `cpu_us` (processor time per call of the subject's processes),
 * `database_us` (of its database's), `total_us` (both), `per_s`, `p50_ms`, `p99_ms`.
 */
export function measureCalls(subject: Subject, calls: Calls): Promise<RoundFigures> {
  return measureTogether([subject], calls);
}

/**
 * Calls several gateways of one database at the same time, the connections dealt out to them, and resolves with figures over all of them.
 */
export async function measureTogether(subjects: readonly Subject[], calls: Calls): Promise<RoundFigures> {
  const targets = subjects.map((subject) => {
    const target = targetOf(subject, calls.shape ?? WHOLE);
    return calls.keys === undefined ? target : { ...target, keys: calls.keys };
  });
  const order = { targets, in_turn: false, calls: calls.calls, concurrency: calls.concurrency };
  const meter = startMeter(subjects);
  const { duration_ms, latencies } = await runLoad(order);
  const costs = await meter.stop(calls.calls);
  const [latency = { p50_ms: Number.NaN, p99_ms: Number.NaN }] = latencies;
  return { ...costs, ...latency, per_s: (calls.calls * 1000) / duration_ms };
}

export interface RandomCalls {
  readonly rate_per_s: number;
  readonly calls: number;
  readonly seed: number;
}

/** Calls a subject at random times; the figures are those of `measureCalls` and `late_ms`, how late the generator was. */
export async function measureRandomCalls(subject: Subject, calls: RandomCalls): Promise<RoundFigures> {
  const meter = startMeter([subject]);
  const result = await runOpenLoad({ target: targetOf(subject, WHOLE), ...calls });
  const costs = await meter.stop(calls.calls);
  return { ...costs, ...result.latency, late_ms: result.late.p50_ms, connections: result.connections };
}

/** Makes calls that are not measured: code is compiled, connections are open, and the caller's rows are known afterwards. */
export async function warm(subject: Subject, calls: Calls): Promise<void> {
  const target = targetOf(subject, calls.shape ?? WHOLE);
  const targets = [calls.keys === undefined ? target : { ...target, keys: calls.keys }];
  await runLoad({ targets, in_turn: false, calls: calls.calls, concurrency: calls.concurrency });
}

/** Counts processor time from now on. The subjects share a database, if they have one. */
function startMeter(subjects: readonly Subject[]): { stop(calls: number): Promise<RoundFigures> } {
  const read = (): { own_ms: number; database_ms: number } => {
    const costs = subjects.map(cpuOf);
    return {
      own_ms: costs.reduce((sum, { own_ms }) => sum + own_ms, 0),
      database_ms: costs[0]?.database_ms ?? 0,
    };
  };
  const before = read();
  return {
    async stop(calls) {
      await Bun.sleep(SETTLE_MS);
      const after = read();
      const cpu_us = ((after.own_ms - before.own_ms) * 1000) / calls;
      const database_us = ((after.database_ms - before.database_ms) * 1000) / calls;
      return { cpu_us, database_us, total_us: cpu_us + database_us };
    },
  };
}

/** Lets `work` see all subjects in each round, beginning with another one each time: a slow minute hits all of them. */
export async function inRounds<Item>(
  rounds: number,
  items: readonly Item[],
  work: (item: Item, round: number) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const first = round % items.length;
    for (const item of [...items.slice(first), ...items.slice(0, first)]) await work(item, round);
  }
}
