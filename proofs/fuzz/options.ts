import { parseArgs } from "node:util";
import type { DatabaseKind } from "../torture/harms.ts";
import { TARGET_NAMES, type TargetName } from "./targets/target-names.ts";

export interface FuzzOptions {
  /** How long the whole run takes, about: all databases share it. */
  readonly minutes: number;
  readonly seed: number;
  readonly databases: readonly DatabaseKind[];
  /** Gateways at the same time, each with a database and vendors of its own. */
  readonly lanes: number;
  /** The only case that is played; null: as many as there is time for. */
  readonly case_number: number | null;
  /** After so many cases with each database, and inputs of each target, nothing more is tried. Infinity: as the time allows. */
  readonly most: number;
  /** The targets that run without a gateway. */
  readonly targets: readonly TargetName[];
}

const DATABASES: Readonly<Record<string, readonly DatabaseKind[]>> = {
  sqlite: ["sqlite"],
  postgres: ["postgres"],
  both: ["sqlite", "postgres"],
  none: [],
};
const MOST_SEEDS = 1_000_000;

export const USAGE = `npm run fuzz -- [--minutes N] [--seed N] [--database sqlite|postgres|both|none] [--lanes N] [--case N]
  [--most N] [--targets all|none|NAME,NAME]: see proofs/fuzz/README.md`;

/** Reads the command's arguments. Throws with a sentence that says what is allowed. */
export function readOptions(args: readonly string[]): FuzzOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: "0.5" },
      seed: { type: "string", default: String(Date.now() % MOST_SEEDS) },
      database: { type: "string", default: "both" },
      lanes: { type: "string", default: "1" },
      case: { type: "string" },
      most: { type: "string" },
      targets: { type: "string" },
    },
  });
  const databases = DATABASES[values.database];
  if (databases === undefined)
    throw new Error(`--database is ${JSON.stringify(values.database)}; allowed: sqlite, postgres, both, none.`);
  const case_number = values.case === undefined ? null : whole("case", values.case, 0);
  return {
    minutes: minutesOf(values.minutes),
    seed: whole("seed", values.seed, 0),
    databases: case_number === null ? databases : databases.slice(0, 1),
    lanes: whole("lanes", values.lanes, 1),
    case_number,
    most: values.most === undefined ? Number.POSITIVE_INFINITY : whole("most", values.most, 1),
    targets: targetsOf(values.targets ?? (case_number === null ? "all" : "none")),
  };
}

function minutesOf(text: string): number {
  const value = Number(text);
  if (/^\d{1,5}(\.\d{1,3})?$/.test(text) && value > 0) return value;
  throw new Error(`--minutes is ${JSON.stringify(text)}; allowed: a number above 0, such as 0.5.`);
}

function targetsOf(text: string): readonly TargetName[] {
  if (text === "all") return TARGET_NAMES;
  if (text === "none") return [];
  return text.split(",").map((name) => {
    const found = TARGET_NAMES.find((known) => known === name.trim());
    if (found === undefined)
      throw new Error(`--targets has ${JSON.stringify(name)}; allowed: all, none, ${TARGET_NAMES.join(", ")}.`);
    return found;
  });
}

function whole(name: string, text: string, least: number): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= least) return value;
  throw new Error(`--${name} is ${JSON.stringify(text)}; allowed: a whole number from ${least}.`);
}
