/**
 * The load generator, a process of its own, in a closed loop: a connection makes its next call when it has its answer. Reads a
 * LoadOrder as JSON from its input and prints a LoadResult as JSON. Any answer that is not complete to the byte ends it with
 * status 1.
 */
import { Connection, requestsOf, type Target } from "./connection.ts";
import { Draw } from "./draw.ts";
import { type Percentiles, percentiles } from "./percentiles.ts";

export interface LoadOrder {
  readonly targets: readonly Target[];
  /** Whether the targets are called in turn, each on one connection; otherwise in parallel, the connections dealt out to them. */
  readonly in_turn: boolean;
  /** The number of calls: to each target where they are called in turn, else to all of them together. */
  readonly calls: number;
  /** The number of connections at a time; not read where targets are called in turn. */
  readonly concurrency: number;
}

export interface LoadResult {
  readonly duration_ms: number;
  /** One row per target where they are called in turn, else one row over all. */
  readonly latencies: readonly Percentiles[];
  /** Reads per call: how often data arrived at the client's socket. */
  readonly reads_per_call: number;
}

/** A connection with its target's requests. */
interface Caller {
  readonly connection: Connection;
  readonly requests: readonly Uint8Array[];
}

async function inTurn({ targets, calls }: LoadOrder): Promise<LoadResult> {
  const callers = await openAll(targets);
  const durations = targets.map(() => new Float64Array(calls));
  const started = performance.now();
  let reads = 0;
  for (let index = 0; index < calls; index++) {
    for (const [which, { connection, requests }] of callers.entries()) {
      const call = await connection.call(requests[index % requests.length] as Uint8Array);
      (durations[which] as Float64Array)[index] = call.duration_ms;
      reads += call.reads;
    }
  }
  for (const { connection } of callers) connection.close();
  return {
    duration_ms: performance.now() - started,
    latencies: durations.map(percentiles),
    reads_per_call: reads / calls / targets.length,
  };
}

async function inParallel({ targets, calls, concurrency }: LoadOrder): Promise<LoadResult> {
  const dealt = Array.from({ length: concurrency }, (_, index) => targets[index % targets.length] as Target);
  const callers = await openAll(dealt);
  const durations = new Float64Array(calls);
  const draw = new Draw(calls);
  const started = performance.now();
  let begun = 0;
  let reads = 0;
  const work = async ({ connection, requests }: Caller): Promise<void> => {
    while (begun < calls) {
      const index = begun++;
      const call = await connection.call(requests[draw.below(requests.length)] as Uint8Array);
      durations[index] = call.duration_ms;
      reads += call.reads;
    }
    connection.close();
  };
  await Promise.all(callers.map(work));
  return {
    duration_ms: performance.now() - started,
    latencies: [percentiles(durations)],
    reads_per_call: reads / calls,
  };
}

/** Opens a connection to each target; connections to one target share its requests. */
function openAll(targets: readonly Target[]): Promise<Caller[]> {
  const requests = new Map(targets.map((target) => [target, requestsOf(target)]));
  return Promise.all(
    targets.map(async (target) => ({
      connection: await Connection.open(target),
      requests: requests.get(target) ?? [],
    })),
  );
}

if (import.meta.main) {
  try {
    const order: LoadOrder = JSON.parse(await Bun.stdin.text());
    console.log(JSON.stringify(await (order.in_turn ? inTurn(order) : inParallel(order))));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
