import { Rounds } from "../rounds.ts";
import { type Lane, quotient, type Row, rowId, type Setting, short } from "./lane.ts";
import { inRounds, measureRandomCalls, warm } from "./measure-calls.ts";
import { BARE, type Served, serve, serveBare } from "./served.ts";

/**
 * Loads far below what the gateway bears, as most hours of most days are: calls come at random times (Poisson), and a latency
 * counts from the moment at which a call was due.
 */
export const openLoop: Lane = { name: "open-loop", measure };

const CONCURRENCY = 32;
const FULL = {
  rounds: 3,
  warm: 40_000,
  warm_postgres: 10_000,
  rates: [
    { rate_per_s: 40, calls: 280 },
    { rate_per_s: 160, calls: 640 },
    { rate_per_s: 640, calls: 2240 },
  ],
};
const QUICK: typeof FULL = {
  rounds: 2,
  warm: 1000,
  warm_postgres: 300,
  rates: [
    { rate_per_s: 40, calls: 40 },
    { rate_per_s: 160, calls: 160 },
    { rate_per_s: 640, calls: 640 },
  ],
};

async function measure(setting: Setting) {
  await using scope = new AsyncDisposableStack();
  const rounds = new Rounds();
  const amounts = setting.quick ? QUICK : FULL;
  const bare = await serveBare(setting, scope);
  await warm(bare, { calls: amounts.warm, concurrency: CONCURRENCY });
  const cast: Served[] = [];
  for (const database of setting.databases) {
    const calls = database === "sqlite" ? amounts.warm : amounts.warm_postgres;
    for (const variant of setting.variants) {
      setting.say(`open-loop: ${variant.name} on ${database} is warmed up`);
      const served = await serve(setting, scope, variant, database);
      await warm(served, { calls, concurrency: CONCURRENCY });
      cast.push(served);
    }
  }
  for (const { rate_per_s, calls } of amounts.rates) {
    await inRounds(amounts.rounds, [bare, ...cast], async (subject, round) => {
      if (subject === bare) setting.say(`open-loop: ${rate_per_s} a second, round ${round + 1} of ${amounts.rounds}`);
      const figures = await measureRandomCalls(subject, { rate_per_s, calls, seed: round });
      rounds.add(at(subject.name, rate_per_s), figures);
    });
  }
  const rows = amounts.rates.flatMap(({ rate_per_s }) => cast.flatMap((served) => rowsOf(rounds, served, rate_per_s)));
  return { rows, rounds };
}

function at(name: string, rate_per_s: number): string {
  return `${name}, ${rate_per_s} a second`;
}

function rowsOf(rounds: Rounds, { name, variant, database }: Served, rate_per_s: number): Row[] {
  const [subject, bare] = [at(name, rate_per_s), at(BARE, rate_per_s)];
  const id = rowId(variant, `open-loop.${database}.${rate_per_s}`);
  const rowOf = (kind: string, what: string, figure: string, unit: string): Row => ({
    id: `${id}.${kind}`,
    name: `${subject} ÷ bare: ${what}`,
    value: rounds.ratio(subject, bare, figure),
    noise: rounds.spread(bare, figure),
    from: quotient(rounds.median(subject, figure), rounds.median(bare, figure), unit),
  });
  const late = `; the generator is ${short(rounds.median(subject, "late_ms"))} ms late`;
  const latency = rowOf("p50", "p50", "p50_ms", "ms");
  return [rowOf("cpu", "processor time per call", "total_us", "µs"), { ...latency, from: `${latency.from}${late}` }];
}
