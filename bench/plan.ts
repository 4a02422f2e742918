import { parseArgs } from "node:util";
import { CANDIDATES, type CandidateName } from "./candidates.ts";

/** The amounts to measure. Rounds alternate between the candidates; the median of the rounds is reported. */
export interface Plan {
  readonly candidates: readonly CandidateName[];
  readonly rounds: number;
  /** Unary calls to each candidate over all rounds. */
  readonly calls: number;
  /** Unary calls with a long history to each candidate over all rounds. */
  readonly long_calls: number;
  readonly concurrency: number;
  /** Streams of 64 deltas to each candidate over all rounds, and ten times as many without deltas. */
  readonly streams: number;
  readonly stream_concurrency: number;
  /** Calls at concurrency 1 to each candidate and as many to the vendor, over all rounds. */
  readonly latency_calls: number;
  readonly warm_up_calls: number;
  readonly warm_up_streams: number;
}

export interface Command {
  readonly plan: Plan;
  /** The file for all figures as JSON; null: no file. */
  readonly json: string | null;
  readonly gate: boolean;
}

const FULL: Plan = {
  candidates: CANDIDATES,
  rounds: 9,
  calls: 100_000,
  long_calls: 20_000,
  concurrency: 32,
  streams: 2_000,
  stream_concurrency: 8,
  latency_calls: 5_000,
  // The ledger's code runs once for a batch of calls, so its compilation takes many more calls than other code's.
  warm_up_calls: 150_000,
  warm_up_streams: 1_000,
};

const QUICK: Plan = {
  ...FULL,
  rounds: 3,
  calls: 15_000,
  long_calls: 6_000,
  streams: 300,
  latency_calls: 1_500,
  warm_up_calls: 1_500,
  warm_up_streams: 80,
};

/** Reads the command line. Throws an error with a sentence for people when an argument is wrong. */
export function readCommand(args: readonly string[]): Command {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      gate: { type: "boolean", default: false },
      json: { type: "string" },
      only: { type: "string" },
      rounds: { type: "string" },
      calls: { type: "string" },
      streams: { type: "string" },
      "latency-calls": { type: "string" },
    },
  });
  const base = values.quick ? QUICK : FULL;
  const plan: Plan = {
    ...base,
    candidates: values.only === undefined ? base.candidates : values.only.split(",").map(readName),
    rounds: readCount("rounds", values.rounds) ?? base.rounds,
    calls: readCount("calls", values.calls) ?? base.calls,
    streams: readCount("streams", values.streams) ?? base.streams,
    latency_calls: readCount("latency-calls", values["latency-calls"]) ?? base.latency_calls,
  };
  return { plan, json: values.json ?? null, gate: values.gate };
}

function readName(text: string): CandidateName {
  const name = CANDIDATES.find((known) => known === text);
  if (!name) throw new Error(`--only ${text}: there is no such candidate; known are ${CANDIDATES.join(", ")}.`);
  return name;
}

function readCount(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${option} ${text}: a whole number above 0 is wanted.`);
  return Number(text);
}
