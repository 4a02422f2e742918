import { parseArgs } from "node:util";
import { type DatabaseKind, HARM_KINDS, type HarmKind } from "./harms.ts";

export interface TortureOptions {
  /** Rounds on each database. */
  readonly rounds: number;
  /** After so many minutes no new round begins. */
  readonly minutes: number;
  readonly databases: readonly DatabaseKind[];
  readonly seed: number;
  /** How many rounds run at the same time, each in a world of its own. */
  readonly lanes: number;
  /** The only harms that are done; null: all that are possible. */
  readonly only: readonly HarmKind[] | null;
  /** The path of libfaketime; undefined: where packages put it. */
  readonly faketime: string | undefined;
}

const DATABASES: Readonly<Record<string, readonly DatabaseKind[]>> = {
  sqlite: ["sqlite"],
  postgres: ["postgres"],
  cells: ["cells"],
  both: ["sqlite", "postgres"],
  all: ["sqlite", "postgres", "cells"],
};
const MOST_SEEDS = 1_000_000;

export const USAGE = `npm run torture -- [--rounds N] [--minutes N] [--database sqlite|postgres|cells|both|all] [--seed N] [--lanes N]
  [--only HARM,HARM] [--faketime PATH]: see proofs/torture/README.md`;

/** Reads the command's arguments. Throws with a sentence that says what is allowed. */
export function readOptions(args: readonly string[]): TortureOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: "6" },
      minutes: { type: "string", default: "10" },
      database: { type: "string", default: "both" },
      seed: { type: "string", default: String(Date.now() % MOST_SEEDS) },
      lanes: { type: "string", default: "1" },
      only: { type: "string" },
      faketime: { type: "string" },
    },
  });
  const databases = DATABASES[values.database];
  if (databases === undefined)
    throw new Error(`--database is ${JSON.stringify(values.database)}; allowed: ${Object.keys(DATABASES).join(", ")}.`);
  return {
    rounds: whole("rounds", values.rounds),
    minutes: whole("minutes", values.minutes),
    databases,
    seed: whole("seed", values.seed, 0),
    lanes: whole("lanes", values.lanes),
    only: values.only === undefined ? null : values.only.split(",").map(harm),
    faketime: values.faketime,
  };
}

function harm(text: string): HarmKind {
  const found = HARM_KINDS.find((kind) => kind === text.trim());
  if (found === undefined) throw new Error(`--only has ${JSON.stringify(text)}; allowed: ${HARM_KINDS.join(", ")}.`);
  return found;
}

function whole(name: string, text: string, least = 1): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= least) return value;
  throw new Error(`--${name} is ${JSON.stringify(text)}; allowed: a whole number from ${least}.`);
}
