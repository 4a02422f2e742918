import type { Variant } from "../gateway.ts";
import { Rounds } from "../rounds.ts";
import { type DatabaseName, type Lane, quotient, type Row, rowId, type Setting } from "./lane.ts";
import { inRounds, measureCalls, warm } from "./measure-calls.ts";
import { BARE, type Served, type Subject, serve, serveAgain, serveBare } from "./served.ts";

/** What the first calls after a start cost beside later ones: code is compiled, pools are filled, rows are read. */
export const coldStart: Lane = { name: "cold-start", measure };

const CONCURRENCY = 32;
const FULL = { rounds: 4, first: 2000, warm: 80_000, steady: 10_000, warm_postgres: 10_000, steady_postgres: 3000 };
const QUICK: typeof FULL = { rounds: 2, first: 300, warm: 2000, steady: 500, warm_postgres: 500, steady_postgres: 200 };

/** A program that is started again and again. */
interface Starter {
  readonly name: string;
  /** How many calls warm it up, and how many are a round of its steady state. */
  readonly amounts: { readonly warm: number; readonly steady: number };
  /** Ends what runs, and starts it anew on the same data. */
  start(): Promise<Subject>;
  /** What was started last. */
  running(): Subject;
}

async function measure(setting: Setting) {
  await using scope = new AsyncDisposableStack();
  const rounds = new Rounds();
  const amounts = setting.quick ? QUICK : FULL;
  const cast: { readonly variant: Variant; readonly database: DatabaseName }[] = [];
  const starters = [await bareStarter(setting, scope, amounts)];
  for (const database of setting.databases) {
    for (const variant of setting.variants) {
      cast.push({ variant, database });
      starters.push(starterOf(setting, scope, await serve(setting, scope, variant, database), amounts));
    }
  }
  await inRounds(amounts.rounds, starters, async (starter, round) => {
    if (starter.name === BARE) setting.say(`cold-start: start ${round + 1} of ${amounts.rounds}`);
    const calls = { calls: amounts.first, concurrency: CONCURRENCY };
    rounds.add(first(starter.name), await measureCalls(await starter.start(), calls));
  });
  for (const { name, amounts, running } of starters) {
    setting.say(`cold-start: ${name} is warmed up`);
    await warm(running(), { calls: amounts.warm, concurrency: CONCURRENCY });
  }
  await inRounds(amounts.rounds, starters, async ({ name, amounts, running }) => {
    rounds.add(steady(name), await measureCalls(running(), { calls: amounts.steady, concurrency: CONCURRENCY }));
  });
  return { rows: cast.map(({ variant, database }) => rowOf(rounds, variant, database)), rounds };
}

async function bareStarter(setting: Setting, scope: AsyncDisposableStack, amounts: typeof FULL): Promise<Starter> {
  let running = await serveBare(setting, scope);
  return {
    name: BARE,
    amounts,
    start: async () => {
      await running.program.stop();
      running = await serveBare(setting, scope);
      return running;
    },
    running: () => running,
  };
}

function starterOf(setting: Setting, scope: AsyncDisposableStack, served: Served, amounts: typeof FULL): Starter {
  let running = served;
  const { warm_postgres, steady_postgres } = amounts;
  return {
    name: served.name,
    amounts: served.database === "sqlite" ? amounts : { warm: warm_postgres, steady: steady_postgres },
    start: async () => {
      running = await serveAgain(setting, scope, running);
      return running;
    },
    running: () => running,
  };
}

function first(name: string): string {
  return `${name}, first calls`;
}

function steady(name: string): string {
  return `${name}, steady`;
}

function rowOf(rounds: Rounds, variant: Variant, database: DatabaseName): Row {
  const name = `${variant.name} on ${database}`;
  const costOf = (subject: string): number => rounds.median(subject, "cpu_us");
  const [early, late] = [costOf(first(name)), costOf(steady(name))];
  const bare = quotient(costOf(first(BARE)), costOf(steady(BARE)), "µs");
  return {
    id: rowId(variant, `cold-start.${database}`),
    name: `${name}: processor time per call, the first after a start ÷ steady`,
    value: early / late,
    noise: rounds.spread(steady(BARE), "cpu_us"),
    from: `${quotient(early, late, "µs")}; bare ${bare}`,
  };
}
