import { parseArgs } from "node:util";
import { resolve } from "node:path";
import { CANDIDATES, type CandidateName, type Variant } from "./candidates.ts";

export const LANES = ["unary", "history", "streaming", "latency"] as const;
export type Lane = (typeof LANES)[number];

/** The amounts to measure. Rounds alternate between the candidates; the median of the rounds is reported. */
export interface Plan {
  readonly candidates: readonly CandidateName[];
  readonly variants: readonly Variant[];
  readonly lanes: readonly Lane[];
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
  variants: [],
  lanes: LANES,
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
      variant: { type: "string", multiple: true, default: [] },
      lanes: { type: "string" },
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
    variants: values.variant.map(readVariant),
    lanes: values.lanes === undefined ? base.lanes : values.lanes.split(",").map(readLane),
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

/** `name=path/of/bin/camino`. */
function readVariant(text: string): Variant {
  const [, name, command] = /^([a-z][a-z0-9-]*)=(.+)$/.exec(text) ?? [];
  if (name === undefined || command === undefined) {
    throw new Error(`--variant ${text}: name=path of a camino command is wanted, as in before=../other/bin/camino.`);
  }
  return { name, command: resolve(command) };
}

function readLane(text: string): Lane {
  const lane = LANES.find((known) => known === text);
  if (!lane) throw new Error(`--lanes ${text}: there is no such lane; known are ${LANES.join(", ")}.`);
  return lane;
}

function readCount(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${option} ${text}: a whole number above 0 is wanted.`);
  return Number(text);
}
