import { parseArgs } from "node:util";
import type { DatabaseKind } from "../torture/harms.ts";

export interface SoakOptions {
  /** How long calls are made, about. */
  readonly minutes: number;
  readonly database: DatabaseKind;
  readonly seed: number;
  /** How many clients call at the same time, beside the probe and those that read and err. */
  readonly callers: number;
  /** The gateway's processes (`camino serve --workers`). */
  readonly workers: number;
  /** Where the plot is written; null: nowhere. */
  readonly svg: string | null;
}

const DATABASES: readonly DatabaseKind[] = ["sqlite", "postgres"];
const MOST_SEEDS = 1_000_000;
const MOST_CALLERS = 500;
const MOST_WORKERS = 64;

export const USAGE = `npm run soak -- [--minutes N] [--database sqlite|postgres] [--seed N] [--callers N] [--workers N] [--svg FILE]:
  see proofs/soak/README.md`;

/** Reads the command's arguments. Throws with a sentence that says what is allowed. */
export function readOptions(args: readonly string[]): SoakOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: "1" },
      database: { type: "string", default: "sqlite" },
      seed: { type: "string", default: String(Date.now() % MOST_SEEDS) },
      callers: { type: "string", default: "10" },
      workers: { type: "string", default: "1" },
      svg: { type: "string" },
    },
  });
  const database = DATABASES.find((known) => known === values.database);
  if (database === undefined)
    throw new Error(`--database is ${JSON.stringify(values.database)}; allowed: ${DATABASES.join(", ")}.`);
  return {
    minutes: minutesOf(values.minutes),
    database,
    seed: whole("seed", values.seed, [0, MOST_SEEDS]),
    callers: whole("callers", values.callers, [1, MOST_CALLERS]),
    workers: whole("workers", values.workers, [1, MOST_WORKERS]),
    svg: values.svg ?? null,
  };
}

function minutesOf(text: string): number {
  const value = Number(text);
  if (/^\d{1,5}(\.\d{1,3})?$/.test(text) && value > 0) return value;
  throw new Error(`--minutes is ${JSON.stringify(text)}; allowed: a number above 0, such as 60 or 0.5.`);
}

function whole(name: string, text: string, [least, most]: readonly [number, number]): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= least && value <= most) return value;
  throw new Error(`--${name} is ${JSON.stringify(text)}; allowed: a whole number from ${least} to ${most}.`);
}
