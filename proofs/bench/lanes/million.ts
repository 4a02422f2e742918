import { join } from "node:path";
import { makeKeys, OWN } from "../gateway.ts";
import { BUN, environment, ROOT } from "../programs.ts";
import { Rounds } from "../rounds.ts";
import { type DatabaseName, type Lane, quotient, type Row, type Setting, short } from "./lane.ts";
import { inRounds, measureCalls, warm } from "./measure-calls.ts";
import { startPostgres } from "./own-postgres.ts";
import { BARE, nextFolder, type Served, serve, serveBare, serveBeside } from "./served.ts";

/**
 * A database with a long history: what a million requests weigh on the disk, and what a call costs on it beside one on a new
 * database. `npm run fill` makes the history by the ledger's own decisions, of the project's own version: variants stay out.
 */
export const million: Lane = { name: "million", measure };

const CONCURRENCY = 32;
/** What a request weighs is the same from some ten thousand on: more of them only cost the lane minutes. */
const FULL = { requests: 250_000, rounds: 4, calls: 8000, calls_postgres: 3000, warm: 40_000, warm_postgres: 10_000 };
const QUICK: typeof FULL = {
  requests: 5000,
  rounds: 2,
  calls: 500,
  calls_postgres: 200,
  warm: 500,
  warm_postgres: 300,
};

/** Requests of this many accounts, with two keys each, over a month: the mix of docs/operations.md. */
const ACCOUNTS = 100;

async function measure(setting: Setting) {
  await using scope = new AsyncDisposableStack();
  const rounds = new Rounds();
  const amounts = setting.quick ? QUICK : FULL;
  const requests = setting.history_requests ?? amounts.requests;
  const bare = await serveBare(setting, scope);
  await warm(bare, { calls: amounts.warm, concurrency: CONCURRENCY });
  for (const database of setting.databases) {
    setting.say(`million: ${requests} requests are written to ${database}`);
    const { filled, weight } = await serveFilled(setting, scope, database, requests);
    rounds.add(`disk on ${database}`, weight);
    const fresh = await serve(setting, scope, OWN, database);
    const on_sqlite = database === "sqlite";
    for (const served of [filled, fresh]) {
      await warm(served, { calls: on_sqlite ? amounts.warm : amounts.warm_postgres, concurrency: CONCURRENCY });
    }
    const looks = [
      { name: BARE, subject: bare },
      { name: longOn(database), subject: filled },
      { name: newOn(database), subject: fresh },
    ];
    await inRounds(amounts.rounds, looks, async ({ name, subject }, round) => {
      if (name === BARE) setting.say(`million: on ${database}, round ${round + 1} of ${amounts.rounds}`);
      const calls = on_sqlite ? amounts.calls : amounts.calls_postgres;
      rounds.add(name, await measureCalls(subject, { calls, concurrency: CONCURRENCY }));
    });
  }
  return { rows: setting.databases.flatMap((database) => rowsOf(rounds, database)), rounds };
}

type Weight = { readonly gb: number; readonly days_gb: number; readonly requests: number };

/** A gateway on a database with a history, and what that weighs. */
async function serveFilled(
  setting: Setting,
  scope: AsyncDisposableStack,
  database: DatabaseName,
  requests: number,
): Promise<{ filled: Served; weight: Weight }> {
  const postgres = database === "sqlite" ? null : await startPostgres(setting, scope);
  const url = postgres === null ? `sqlite:${nextFolder(setting, "history")}.db` : await postgres.create();
  const weight = readWeight(await fill(url, requests));
  const served = await serveBeside(setting, scope, OWN, { postgres, database_url: url });
  const [key = ""] = await makeKeys(served.gateway, 1);
  return { filled: { ...served, key }, weight };
}

async function fill(database: string, requests: number): Promise<string> {
  const options = ["--database", database, "--requests", String(requests), "--accounts", String(ACCOUNTS)];
  const child = Bun.spawn([BUN, join(ROOT, "proofs/fill/run.ts"), ...options], {
    env: environment(),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`the database cannot be filled: ${stderr}`);
  return stdout;
}

/** Reads what `npm run fill` says of tables and indices. Days' usage is apart: it does not grow with requests. */
export function readWeight(said: string): Weight {
  const all = /^(\d+) requests: ([\d.]+) MB in all/m.exec(said);
  if (all === null) throw new Error(`it is not said what the database weighs: ${said}`);
  const days = [...said.matchAll(/^ *([\d.]+) MB .*usage_days/gm)].map(([, mb]) => Number(mb));
  const days_mb = days.reduce((sum, mb) => sum + mb, 0);
  return { requests: Number(all[1]), gb: (Number(all[2]) - days_mb) / 1000, days_gb: days_mb / 1000 };
}

function longOn(database: DatabaseName): string {
  return `gateway on ${database} with a history`;
}

function newOn(database: DatabaseName): string {
  return `gateway on ${database}`;
}

function rowsOf(rounds: Rounds, database: DatabaseName): Row[] {
  const [long, fresh, disk] = [longOn(database), newOn(database), `disk on ${database}`];
  const requests = rounds.median(disk, "requests");
  return [
    {
      id: `million.${database}.disk`,
      name: `a million requests on ${database}, GB`,
      value: (rounds.median(disk, "gb") / requests) * 1e6,
      noise: Number.NaN,
      from: `${requests} requests; days' usage besides ${short(rounds.median(disk, "days_gb"))} GB`,
    },
    {
      id: `million.${database}.cpu`,
      name: `${long} ÷ a new database: processor time per call`,
      value: rounds.ratio(long, fresh, "total_us"),
      noise: rounds.spread(BARE, "cpu_us"),
      from: quotient(rounds.median(long, "total_us"), rounds.median(fresh, "total_us"), "µs"),
    },
  ];
}
