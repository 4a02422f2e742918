import { makeKeys } from "../gateway.ts";
import { Rounds } from "../rounds.ts";
import { type Lane, quotient, type Row, rowId, type Setting } from "./lane.ts";
import { inRounds, measureCalls, warm } from "./measure-calls.ts";
import { BARE, type Served, serve, serveBare } from "./served.ts";

/** What it costs that calls come with many keys, each of an account of its own. */
export const keys: Lane = { name: "keys", measure };

const CONCURRENCY = 32;
const FULL = {
  counts: [1, 10, 100, 1000, 5000],
  warm: 40_000,
  sqlite: { rounds: 5, calls: 8000 },
  postgres: { rounds: 3, calls: 2500 },
};
const QUICK: typeof FULL = {
  counts: [1, 10, 100],
  warm: 500,
  sqlite: { rounds: 2, calls: 800 },
  postgres: { rounds: 2, calls: 300 },
};

async function measure(setting: Setting) {
  await using scope = new AsyncDisposableStack();
  const rounds = new Rounds();
  const amounts = setting.quick ? QUICK : FULL;
  const bare = await serveBare(setting, scope);
  await warm(bare, { calls: amounts.warm, concurrency: CONCURRENCY });
  for (const database of setting.databases) {
    const { calls, rounds: times } = amounts[database];
    const cast: { readonly served: Served; readonly keys: readonly string[] }[] = [];
    for (const variant of setting.variants) {
      setting.say(`keys: ${variant.name} on ${database} makes ${amounts.counts.at(-1)} accounts`);
      const served = await serve(setting, scope, variant, database);
      cast.push({ served, keys: await readyKeys(served, amounts, calls) });
    }
    const looks = amounts.counts.flatMap((count) => cast.map((each) => ({ ...each, count })));
    await inRounds(times, [null, ...looks], async (look, round) => {
      if (look === null) {
        rounds.add(BARE, await measureCalls(bare, { calls: amounts.sqlite.calls, concurrency: CONCURRENCY }));
        return;
      }
      if (look.count === 1) setting.say(`keys: ${database}, round ${round + 1} of ${times}`);
      const some = { calls, concurrency: CONCURRENCY, keys: look.keys.slice(0, look.count) };
      rounds.add(subjectOf(look.served, look.count), await measureCalls(look.served, some));
    });
  }
  const rows = setting.databases.flatMap((database) =>
    setting.variants.flatMap((variant) =>
      amounts.counts.slice(1).flatMap((count) => rowsOf(rounds, { variant, database }, count)),
    ),
  );
  return { rows, rounds };
}

/** Makes the accounts and uses each of them: what is measured is many keys, not their first calls. */
async function readyKeys(served: Served, amounts: typeof FULL, calls: number): Promise<string[]> {
  const most = amounts.counts.at(-1) ?? 1;
  const all = await makeKeys(served.gateway, most);
  await warm(served, { calls: Math.min(amounts.warm, 5 * calls), concurrency: CONCURRENCY });
  await warm(served, { calls: 3 * most, concurrency: CONCURRENCY, keys: all });
  return all;
}

type Named = Pick<Served, "variant" | "database">;

function subjectOf({ variant, database }: Named, count: number): string {
  return `${variant.name} on ${database}, ${count} ${count === 1 ? "key" : "keys"}`;
}

function rowsOf(rounds: Rounds, named: Named, count: number): Row[] {
  const [many, one] = [subjectOf(named, count), subjectOf(named, 1)];
  const id = rowId(named.variant, `keys.${named.database}.${count}`);
  const rowOf = (kind: string, what: string, figure: string, unit: string): Row => ({
    id: `${id}.${kind}`,
    name: `${many} ÷ one: ${what}`,
    value: rounds.ratio(many, one, figure),
    noise: rounds.spread(BARE, figure),
    from: quotient(rounds.median(many, figure), rounds.median(one, figure), unit),
  });
  return [rowOf("cpu", "processor time per call", "total_us", "µs"), rowOf("p99", "p99 at 32", "p99_ms", "ms")];
}
