/**
 * The load generator, a process of its own. Its argument is a LoadOrder as JSON; it prints a LoadResult as JSON. Any
 * answer that is not complete to the byte ends it with status 1.
 */
import { Connection, type Target } from "./connection.ts";

export interface LoadOrder {
  /** The targets. Several are called in turn, each on one connection; a single target is called in parallel. */
  readonly targets: readonly Target[];
  /** The number of calls to each target. */
  readonly calls: number;
  /** The number of connections at a time; 1 when there are several targets. */
  readonly concurrency: number;
}

export interface LoadResult {
  readonly duration_ms: number;
  /** One row per target. */
  readonly latencies: readonly { readonly p50_ms: number; readonly p99_ms: number }[];
  /** Reads per call: how often data arrived at the client's socket. */
  readonly reads_per_call: number;
}

async function inTurn({ targets, calls }: LoadOrder): Promise<LoadResult> {
  const connections = await Promise.all(targets.map((target) => Connection.open(target)));
  const durations = targets.map(() => new Float64Array(calls));
  const started = performance.now();
  let reads = 0;
  for (let index = 0; index < calls; index++) {
    for (const [which, connection] of connections.entries()) {
      const call = await connection.call();
      (durations[which] as Float64Array)[index] = call.duration_ms;
      reads += call.reads;
    }
  }
  for (const connection of connections) connection.close();
  return {
    duration_ms: performance.now() - started,
    latencies: durations.map(percentiles),
    reads_per_call: reads / calls / targets.length,
  };
}

async function inParallel({ targets: [target], calls, concurrency }: LoadOrder): Promise<LoadResult> {
  if (!target) throw new Error("no target to call");
  const connections = await Promise.all(Array.from({ length: concurrency }, () => Connection.open(target)));
  const durations = new Float64Array(calls);
  const started = performance.now();
  let begun = 0;
  let reads = 0;
  const work = async (connection: Connection): Promise<void> => {
    while (begun < calls) {
      const index = begun++;
      const call = await connection.call();
      durations[index] = call.duration_ms;
      reads += call.reads;
    }
    connection.close();
  };
  await Promise.all(connections.map(work));
  return {
    duration_ms: performance.now() - started,
    latencies: [percentiles(durations)],
    reads_per_call: reads / calls,
  };
}

function percentiles(durations: Float64Array): { p50_ms: number; p99_ms: number } {
  const sorted = durations.toSorted();
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return { p50_ms: at(0.5), p99_ms: at(0.99) };
}

if (import.meta.main) {
  const order: LoadOrder = JSON.parse(process.argv[2] ?? "{}");
  try {
    console.log(JSON.stringify(await (order.targets.length > 1 ? inTurn(order) : inParallel(order))));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
