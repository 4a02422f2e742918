import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { CANDIDATES, type CandidateName } from "./candidates.ts";
import type { Variant } from "./gateway.ts";
import { LANES } from "./lanes/all-lanes.ts";
import { DATABASES, type DatabaseName, type Lane } from "./lanes/lane.ts";
import type { Peer } from "./peers/peer.ts";
import { PEERS } from "./peers/peers.ts";

/** The lanes that compare all candidates: they are measured unless others are asked for. */
export const BASIC_LANES = ["unary", "history", "streaming", "latency"] as const;
export type BasicLane = (typeof BASIC_LANES)[number];

/** The amounts to measure. Rounds alternate between the candidates; the median of the rounds is reported. */
export interface Plan {
  readonly candidates: readonly CandidateName[];
  readonly variants: readonly Variant[];
  /** Other gateways, which are fetched for it. */
  readonly peers: readonly Peer[];
  readonly lanes: readonly BasicLane[];
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
  /** Lanes beside the basic ones, each with programs of its own. */
  readonly further_lanes: readonly Lane[];
  /** The databases on which further lanes are measured. */
  readonly databases: readonly DatabaseName[];
  /** How many requests a database with a long history has; null: as many as its lane takes. */
  readonly history_requests: number | null;
  /** Whether amounts are small. */
  readonly quick: boolean;
  /** The file for all figures as JSON; null: no file. */
  readonly json: string | null;
  readonly gate: boolean;
}

const FULL: Plan = {
  candidates: CANDIDATES,
  variants: [],
  peers: [],
  lanes: BASIC_LANES,
  rounds: 9,
  calls: 100_000,
  long_calls: 20_000,
  concurrency: 32,
  streams: 2_000,
  stream_concurrency: 8,
  latency_calls: 5_000,
  // The ledger's code runs once for a batch of calls, so its compilation takes many more calls than other code's.
  warm_up_calls: 250_000,
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
      all: { type: "boolean", default: false },
      databases: { type: "string" },
      peers: { type: "string" },
      requests: { type: "string" },
      rounds: { type: "string" },
      calls: { type: "string" },
      streams: { type: "string" },
      "latency-calls": { type: "string" },
    },
  });
  if (values.all && values.lanes !== undefined) throw new Error("--all and --lanes: only one of them is wanted.");
  const base = values.quick ? QUICK : FULL;
  const names = values.lanes?.split(",").map(readLane);
  const plan: Plan = {
    ...base,
    candidates: values.only === undefined ? base.candidates : values.only.split(",").map(readName),
    variants: values.variant.map(readVariant),
    peers: values.peers === undefined ? [] : readPeers(values.peers),
    lanes: names === undefined ? base.lanes : BASIC_LANES.filter((lane) => names.includes(lane)),
    rounds: readCount("rounds", values.rounds) ?? base.rounds,
    calls: readCount("calls", values.calls) ?? base.calls,
    streams: readCount("streams", values.streams) ?? base.streams,
    latency_calls: readCount("latency-calls", values["latency-calls"]) ?? base.latency_calls,
  };
  return {
    plan,
    further_lanes: LANES.filter(({ name }) => values.all || names?.includes(name) === true),
    databases: values.databases === undefined ? DATABASES : values.databases.split(",").map(readDatabase),
    history_requests: readCount("requests", values.requests),
    quick: values.quick,
    json: values.json ?? null,
    gate: values.gate,
  };
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
  const taken: readonly string[] = CANDIDATES;
  if (taken.includes(name)) throw new Error(`--variant ${text}: ${name} is the name of a candidate; choose another.`);
  return { name, command: resolve(command) };
}

function readLane(name: string): string {
  const known: readonly string[] = [...BASIC_LANES, ...LANES.map((lane) => lane.name)];
  if (!known.includes(name)) throw new Error(`--lanes ${name}: there is no such lane; known are ${known.join(", ")}.`);
  return name;
}

function readDatabase(text: string): DatabaseName {
  const name = DATABASES.find((known) => known === text);
  if (!name) throw new Error(`--databases ${text}: there is no such database; known are ${DATABASES.join(", ")}.`);
  return name;
}

/** `all`, or names of peers. */
function readPeers(text: string): readonly Peer[] {
  if (text === "all") return PEERS;
  return text.split(",").map((name) => {
    const peer = PEERS.find((known) => known.id === name);
    if (peer) return peer;
    throw new Error(
      `--peers ${name}: there is no such peer; known are all, ${PEERS.map((each) => each.id).join(", ")}.`,
    );
  });
}

function readCount(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${option} ${text}: a whole number above 0 is wanted.`);
  return Number(text);
}
