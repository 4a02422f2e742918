import type { Variant } from "../gateway.ts";
import { Rounds } from "../rounds.ts";
import { type Lane, quotient, type Row, rowId, type Setting, short } from "./lane.ts";
import { inRounds, measureCalls, warm } from "./measure-calls.ts";
import { startPostgres } from "./own-postgres.ts";
import { BARE, type Served, serve, serveBare, serveOn } from "./served.ts";

/** What a call costs on an analysed PostgreSQL, in the gateway and in the database, beside the same call on SQLite. */
export const postgres: Lane = { name: "postgres", measure };

const CONCURRENCY = 32;
const FULL = { rounds: 5, calls: 4000, calls_alone: 250, warm: 50_000, warm_postgres: 12_000 };
const QUICK: typeof FULL = { rounds: 2, calls: 400, calls_alone: 40, warm: 1000, warm_postgres: 500 };

async function measure(setting: Setting) {
  await using scope = new AsyncDisposableStack();
  const rounds = new Rounds();
  const amounts = setting.quick ? QUICK : FULL;
  const server = await startPostgres(setting, scope);
  const bare = await serveBare(setting, scope);
  await warm(bare, { calls: amounts.warm, concurrency: CONCURRENCY });
  const cast: Served[] = [];
  for (const variant of setting.variants) {
    setting.say(`postgres: ${variant.name} is warmed up on both databases`);
    const embedded = await serve(setting, scope, variant, "sqlite");
    await warm(embedded, { calls: amounts.warm, concurrency: CONCURRENCY });
    const served = await serveOn(setting, scope, variant, server);
    await warm(served, { calls: amounts.warm_postgres, concurrency: CONCURRENCY });
    await server.run(served.home.database_url ?? "", "VACUUM (ANALYZE)");
    cast.push(embedded, served);
  }
  await inRounds(amounts.rounds, [bare, ...cast], async (subject, round) => {
    if (subject === bare) setting.say(`postgres: round ${round + 1} of ${amounts.rounds}`);
    const { name } = subject;
    rounds.add(name, await measureCalls(subject, { calls: amounts.calls, concurrency: CONCURRENCY }));
    rounds.add(alone(name), await measureCalls(subject, { calls: amounts.calls_alone, concurrency: 1 }));
  });
  return { rows: setting.variants.flatMap((variant) => rowsOf(rounds, variant)), rounds };
}

function alone(name: string): string {
  return `${name}, at 1`;
}

function rowsOf(rounds: Rounds, variant: Variant): Row[] {
  const [shared, embedded] = [`${variant.name} on postgres`, `${variant.name} on sqlite`];
  const median = (subject: string, figure: string): number => rounds.median(subject, figure);
  return [
    {
      id: rowId(variant, "postgres.gateway"),
      name: `${variant.name} on PostgreSQL ÷ on SQLite: gateway's processor time per call`,
      value: rounds.ratio(shared, embedded, "cpu_us"),
      noise: rounds.spread(BARE, "cpu_us"),
      from: quotient(median(shared, "cpu_us"), median(embedded, "cpu_us"), "µs"),
    },
    {
      id: rowId(variant, "postgres.database"),
      name: `${variant.name} on PostgreSQL: the database's processor time per call, µs`,
      value: median(shared, "database_us"),
      noise: rounds.spread(BARE, "cpu_us"),
      from: `${short(median(shared, "per_s"))} calls a second; SQLite ${short(median(embedded, "per_s"))}`,
    },
    {
      id: rowId(variant, "postgres.p50"),
      name: `${variant.name} on PostgreSQL: p50 at concurrency 1, ms`,
      value: median(alone(shared), "p50_ms"),
      noise: rounds.spread(alone(BARE), "p50_ms"),
      from: `SQLite ${short(median(alone(embedded), "p50_ms"))} ms, bare ${short(median(alone(BARE), "p50_ms"))} ms`,
    },
  ];
}
