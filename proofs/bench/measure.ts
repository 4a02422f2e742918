import type { Candidate } from "./candidates.ts";
import { type Place, runLoad, targetOf, vendorPlace } from "./drive.ts";
import { type Shape, streamOf, translatedStreamOf, WHOLE } from "./exchange.ts";
import type { LoadResult } from "./load.ts";
import type { Plan } from "./plan.ts";
import { ownBytes, residentBytes, treeCpuMs } from "./process-meter.ts";

/** One candidate's figures: one number per round; the memory before all rounds is one number. */
export interface Figures {
  rss_start_bytes: number;
  /** Resident memory after each unary round. One reading is as the collector's last run left it, which is tens of megabytes apart. */
  readonly rss_after_bytes: number[];
  /** What of it is the process's own, without pages of its program's files. */
  readonly own_after_bytes: number[];
  readonly unary_cpu_us: number[];
  readonly unary_per_s: number[];
  /** Processor time of a unary call with a long history. */
  readonly long_cpu_us: number[];
  /** Processor time of a whole streaming call with 64 deltas. */
  readonly stream_cpu_us: number[];
  /** Processor time of a streaming call without deltas. */
  readonly empty_stream_cpu_us: number[];
  /** Processor time of a streaming call with 64 translated deltas; empty for candidates that cannot translate. */
  readonly translated_cpu_us: number[];
  /** Reads per stream at the client: near 64 when chunks arrive one by one. */
  readonly stream_reads: number[];
  readonly added_p50_ms: number[];
  readonly added_p99_ms: number[];
}

export const DELTAS = 64;
/** A request with a long conversation: a body of about 32 KB. */
const LONG: Shape = { stream: false, history: 64 };

/** The vendor's own figures when it is called directly, which are the ceiling of the load generator. */
export interface Direct {
  readonly url: string;
  readonly per_s: number[];
  readonly p50_ms: number[];
  /** What a plain commit of the embedded database takes on this disk. */
  readonly commit_ms: number[];
}

export function noFigures(): Figures {
  return {
    rss_start_bytes: 0,
    rss_after_bytes: [],
    own_after_bytes: [],
    unary_cpu_us: [],
    unary_per_s: [],
    long_cpu_us: [],
    stream_cpu_us: [],
    empty_stream_cpu_us: [],
    translated_cpu_us: [],
    stream_reads: [],
    added_p50_ms: [],
    added_p99_ms: [],
  };
}

/** Makes calls that are not measured, so that both sides compile their hot code and open their connections. */
export async function warmUp(candidate: Candidate, plan: Plan): Promise<void> {
  const { share, translates } = candidate;
  const { concurrency, stream_concurrency } = plan;
  const streams = amount(plan.warm_up_streams * share, stream_concurrency);
  await load(candidate, streamOf(DELTAS), streams, stream_concurrency);
  if (translates) await load(candidate, translatedStreamOf(DELTAS), streams, stream_concurrency);
  await load(candidate, LONG, amount((plan.warm_up_calls * share) / 10, concurrency), concurrency);
  // Last, as they are the most: functions that streams use in another way than calls are compiled for both by then, and not amid the rounds.
  await load(candidate, WHOLE, amount(plan.warm_up_calls * share, concurrency), concurrency);
}

export async function measureUnary(candidate: Candidate, figures: Figures, plan: Plan): Promise<void> {
  const calls = amount((plan.calls * candidate.share) / plan.rounds, plan.concurrency);
  const { cpu_us, result } = await metered(candidate, WHOLE, calls, plan.concurrency);
  figures.unary_cpu_us.push(cpu_us / calls);
  figures.unary_per_s.push((calls * 1000) / result.duration_ms);
}

export async function measureLong(candidate: Candidate, figures: Figures, plan: Plan): Promise<void> {
  const calls = amount((plan.long_calls * candidate.share) / plan.rounds, plan.concurrency);
  const { cpu_us } = await metered(candidate, LONG, calls, plan.concurrency);
  figures.long_cpu_us.push(cpu_us / calls);
}

export async function measureStream(candidate: Candidate, figures: Figures, plan: Plan): Promise<void> {
  const streams = amount((plan.streams * candidate.share) / plan.rounds, plan.stream_concurrency);
  const full = await metered(candidate, streamOf(DELTAS), streams, plan.stream_concurrency);
  figures.stream_cpu_us.push(full.cpu_us / streams);
  figures.stream_reads.push(full.result.reads_per_call);
  const empty = await metered(candidate, streamOf(0), streams * 10, plan.stream_concurrency);
  figures.empty_stream_cpu_us.push(empty.cpu_us / streams / 10);
  if (!candidate.translates) return;
  const translated = await metered(candidate, translatedStreamOf(DELTAS), streams, plan.stream_concurrency);
  figures.translated_cpu_us.push(translated.cpu_us / streams);
}

/** Makes direct calls and calls through the candidate in turn, so that the machine's load is alike for both. */
export async function measureLatency(
  candidate: Candidate,
  figures: Figures,
  direct: Direct,
  plan: Plan,
): Promise<void> {
  const calls = amount((plan.latency_calls * candidate.share) / plan.rounds, FEWEST_LATENCIES);
  const targets = [targetOf(vendorPlace(direct.url), WHOLE), targetOf(candidate, WHOLE)];
  const [without, through] = (await runLoad({ targets, in_turn: true, calls, concurrency: 1 })).latencies;
  if (!without || !through) throw new Error("the load generator left a target out");
  direct.p50_ms.push(without.p50_ms);
  figures.added_p50_ms.push(through.p50_ms - without.p50_ms);
  figures.added_p99_ms.push(through.p99_ms - without.p99_ms);
}

export async function measureDirect(direct: Direct, plan: Plan): Promise<void> {
  const calls = Math.ceil(plan.calls / plan.rounds / 4);
  const { duration_ms } = await load(vendorPlace(direct.url), WHOLE, calls, plan.concurrency);
  direct.per_s.push((calls * 1000) / duration_ms);
}

export function residentOf(candidate: Candidate): number {
  return residentBytes(candidate.program.pid);
}

export function ownOf(candidate: Candidate): number {
  return ownBytes(candidate.program.pid);
}

/** The time in which a candidate may finish work after its answers, which counts as part of the answers' cost. */
const SETTLE_MS = 100;

async function metered(
  candidate: Candidate,
  shape: Shape,
  calls: number,
  concurrency: number,
): Promise<{ cpu_us: number; result: LoadResult }> {
  const before = treeCpuMs(candidate.program.pid);
  const result = await load(candidate, shape, calls, concurrency);
  await Bun.sleep(SETTLE_MS);
  return { cpu_us: (treeCpuMs(candidate.program.pid) - before) * 1000, result };
}

/** So many calls have a p50 that means something. */
const FEWEST_LATENCIES = 10;

/** A whole number of calls, and as many as are wanted at least: one for each connection. */
function amount(calls: number, least: number): number {
  return Math.max(least, Math.ceil(calls));
}

function load(place: Place, shape: Shape, calls: number, concurrency: number): Promise<LoadResult> {
  return runLoad({ targets: [targetOf(place, shape)], in_turn: false, calls, concurrency });
}
