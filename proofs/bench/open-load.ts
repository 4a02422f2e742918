/**
 * The load generator of an open loop, a process of its own: calls come at random times that do not wait for earlier answers, as
 * those of many clients who do not know each other. A call's latency counts from the moment at which it was due, so
 * that a stall of the gateway is in the latencies of all calls that were due meanwhile. Reads an OpenLoadOrder as JSON from its input and prints an
 * OpenLoadResult as JSON. Any answer that is not complete to the byte ends it with status 1.
 */
import { Connection, requestsOf, type Target } from "./connection.ts";
import { arrivalsMs, Draw } from "./draw.ts";
import { nowMs, type Pace, READY } from "./pacer.ts";
import { type Percentiles, percentiles } from "./percentiles.ts";

export interface OpenLoadOrder {
  readonly target: Target;
  readonly rate_per_s: number;
  readonly calls: number;
  /** Equal seeds give equal times. */
  readonly seed: number;
}

export interface OpenLoadResult {
  readonly duration_ms: number;
  readonly latency: Percentiles;
  /** How much after their times the generator itself began its calls: this is in the latencies. */
  readonly late: Percentiles;
  /** The most calls that were open at a time. */
  readonly connections: number;
}

/** Until the pace has reached the thread. */
const BEFORE_FIRST_MS = 20;
/** Opened before the first call; more are opened when all are taken. */
const FIRST_CONNECTIONS = 8;

async function run({ target, rate_per_s, calls, seed }: OpenLoadOrder): Promise<OpenLoadResult> {
  const requests = requestsOf(target);
  const draw = new Draw(seed + 1);
  const idle = await Promise.all(Array.from({ length: FIRST_CONNECTIONS }, () => Connection.open(target)));
  const [latencies_ms, lates_ms] = [new Float64Array(calls), new Float64Array(calls)];
  const pacer = await startPacer();
  const pace: Pace = { start_ms: nowMs() + BEFORE_FIRST_MS, times_ms: arrivalsMs(rate_per_s, calls, seed) };
  let connections = 0;
  let open = 0;
  let ended = 0;
  const all = Promise.withResolvers<void>();

  const make = async (index: number): Promise<void> => {
    const due_ms = pace.start_ms + (pace.times_ms[index] ?? Number.NaN);
    lates_ms[index] = nowMs() - due_ms;
    connections = Math.max(connections, ++open);
    const connection = idle.pop() ?? (await Connection.open(target));
    await connection.call(requests[draw.below(requests.length)] as Uint8Array);
    latencies_ms[index] = nowMs() - due_ms;
    idle.push(connection);
    open -= 1;
    if (++ended === calls) all.resolve();
  };

  pacer.onmessage = ({ data: index }: MessageEvent<number>) => void make(index).catch(all.reject);
  pacer.postMessage(pace);
  await all.promise;
  pacer.terminate();
  for (const connection of idle) connection.close();
  return {
    duration_ms: nowMs() - pace.start_ms,
    latency: percentiles(latencies_ms),
    late: percentiles(lates_ms),
    connections,
  };
}

async function startPacer(): Promise<Worker> {
  const pacer = new Worker(new URL("./pacer.ts", import.meta.url));
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  pacer.onmessage = ({ data }: MessageEvent<number>) => data === READY && resolve();
  pacer.onerror = ({ message }) => reject(new Error(`the thread that paces calls does not start: ${message}`));
  await ready;
  return pacer;
}

if (import.meta.main) {
  try {
    console.log(JSON.stringify(await run(JSON.parse(await Bun.stdin.text()))));
    process.exit(0);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
