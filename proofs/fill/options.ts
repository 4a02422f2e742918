import { parseArgs } from "node:util";

/** What is made. */
export interface MakeOptions {
  /** `sqlite:PATH` or `postgres://…`. */
  readonly database: string;
  /** How many finished requests are added; 0 only weighs what is there. */
  readonly requests: number;
  readonly accounts: number;
  /** Over how many days up to now the requests are spread. */
  readonly days: number;
  readonly seed: number;
  /** How many requests one transaction writes. */
  readonly at_once: number;
  /** Whether admissions and ends are written by transactions of their own, as a gateway on PostgreSQL does. */
  readonly in_two_steps: boolean;
  /** Whether keys have tags, and some requests carry tags of their own. */
  readonly with_tags: boolean;
}

/** What the command does. */
export interface FillOptions extends MakeOptions {
  /** Whether PostgreSQL is left without statistics of its tables. */
  readonly young: boolean;
  /** Whether the traffic of all requests is counted. */
  readonly traffic: boolean;
  /** Whether days that are over are summed up. */
  readonly sums: boolean;
  /** Whether it is asked afterwards what the console's pages ask, and told how long that takes. */
  readonly look: boolean;
  /** Requests that are older than so many days are deleted in the end, as retention does; null: none are. */
  readonly keep_days: number | null;
  /** How many values of a tag a new account gets, to measure what they cost; 0: none. */
  readonly tag_values: number;
}

export const USAGE = `npm run fill -- --database sqlite:PATH|postgres://… [--requests 1000000] [--accounts 100] [--days 30]
  [--seed 1] [--at-once 10000] [--two-steps] [--tags] [--young]
  [--traffic] [--sums] [--look] [--keep-days N] [--tag-values N]
Makes finished requests with their entries, usage and keys, as the ledger's own books write them, and weighs tables and indices.
The database is empty or was made by this command: stop its gateway first. --requests 0 only weighs.
--tags gives keys and a fifth of the requests tags, --traffic counts the traffic, --sums adds up days that are over, --look says how long each question of the console takes, --keep-days N deletes what is older, as
retention does. --tag-values gives a new account so many values of a limit by tag, and says what they weigh and cost.`;

/** Reads the command's arguments. Throws with a sentence that says what is allowed. */
export function readOptions(args: readonly string[]): FillOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      database: { type: "string" },
      requests: { type: "string", default: "1000000" },
      accounts: { type: "string", default: "100" },
      days: { type: "string", default: "30" },
      seed: { type: "string", default: "1" },
      "at-once": { type: "string", default: "10000" },
      "two-steps": { type: "boolean", default: false },
      tags: { type: "boolean", default: false },
      young: { type: "boolean", default: false },
      traffic: { type: "boolean", default: false },
      sums: { type: "boolean", default: false },
      look: { type: "boolean", default: false },
      "keep-days": { type: "string" },
      "tag-values": { type: "string", default: "0" },
    },
  });
  const { database = "" } = values;
  if (!/^(sqlite:.|postgres(ql)?:\/\/)/.test(database)) {
    throw new Error(`--database is ${JSON.stringify(database)}; allowed: sqlite:PATH, postgres://….`);
  }
  return {
    database,
    requests: whole("requests", values.requests, 0),
    accounts: whole("accounts", values.accounts),
    days: whole("days", values.days),
    seed: whole("seed", values.seed, 0),
    at_once: whole("at-once", values["at-once"]),
    in_two_steps: values["two-steps"],
    with_tags: values.tags,
    young: values.young,
    traffic: values.traffic,
    sums: values.sums,
    look: values.look,
    keep_days: values["keep-days"] === undefined ? null : whole("keep-days", values["keep-days"]),
    tag_values: whole("tag-values", values["tag-values"], 0),
  };
}

function whole(name: string, text: string, least = 1): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= least) return value;
  throw new Error(`--${name} is ${JSON.stringify(text)}; allowed: a whole number from ${least}.`);
}
