import { makeKeys } from "../gateway.ts";
import { Rounds } from "../rounds.ts";
import { type Lane, quotient, type Row, rowId, type Setting, short } from "./lane.ts";
import { inRounds, measureCalls, warm } from "./measure-calls.ts";
import { type OwnPostgres, startPostgres } from "./own-postgres.ts";
import { BARE, type Served, serveBare, serveBeside } from "./served.ts";

/** What a call costs whose account lives in a cell, with as many calls under way in each cell, beside one database without cells. */
export const cells: Lane = { name: "cells", measure };

/** Calls under way for each cell, and accounts, each with a key. */
const FOR_EACH = 32;
const COUNTS = [0, 1, 2, 4];
const FULL = { rounds: 5, calls: 4000, warm: 16_000 };
const QUICK: typeof FULL = { rounds: 2, calls: 400, warm: 500 };

interface Look {
  readonly served: Served;
  readonly count: number;
  readonly keys: readonly string[];
}

async function measure(setting: Setting) {
  await using scope = new AsyncDisposableStack();
  const rounds = new Rounds();
  const amounts = setting.quick ? QUICK : FULL;
  const server = await startPostgres(setting, scope);
  const bare = await serveBare(setting, scope);
  await warm(bare, { calls: amounts.warm, concurrency: FOR_EACH });
  const looks: Look[] = [];
  for (const count of COUNTS) {
    setting.say(`cells: ${nameOf(count)} are warmed up`);
    const look = await lookAt(setting, scope, { count, server });
    await warm(look.served, { calls: amounts.warm, concurrency: underWay(look), keys: look.keys });
    looks.push(look);
  }
  await inRounds(amounts.rounds, [null, ...looks], async (look, round) => {
    if (look === null) {
      setting.say(`cells: round ${round + 1} of ${amounts.rounds}`);
      rounds.add(BARE, await measureCalls(bare, { calls: amounts.calls, concurrency: FOR_EACH }));
      return;
    }
    const { served, count, keys } = look;
    const calls = amounts.calls * Math.max(1, count);
    rounds.add(nameOf(count), await measureCalls(served, { calls, concurrency: underWay(look), keys }));
  });
  const [variant] = setting.variants;
  return {
    rows: variant === undefined ? [] : COUNTS.flatMap((count) => rowOf(rounds, rowId(variant, "cells"), count)),
    rounds,
  };
}

interface Asked {
  readonly count: number;
  readonly server: OwnPostgres;
}

/** The project's own command alone: an earlier one knows no cells. All databases are of one server, whose processor time is counted as a whole. */
async function lookAt(setting: Setting, scope: AsyncDisposableStack, { count, server }: Asked): Promise<Look> {
  const [variant] = setting.variants;
  if (variant === undefined) throw new Error("there is nothing to measure");
  const named = [];
  for (let cell = 1; cell <= count; cell += 1) named.push(`cell${cell}=${await server.create()}`);
  const cells_env = count === 0 ? {} : { CAMINO_CELLS: named.join(" "), CAMINO_CELL_WEIGHTS: "directory=0" };
  const home = { postgres: server, database_url: await server.create(), cells_env };
  const served = await serveBeside(setting, scope, variant, home);
  const keys = await makeKeys(served.gateway, FOR_EACH * Math.max(1, count));
  return { served: { ...served, key: keys[0] ?? "" }, count, keys };
}

function underWay({ count }: Look): number {
  return FOR_EACH * Math.max(1, count);
}

function nameOf(count: number): string {
  return count === 0 ? "no cells" : count === 1 ? "1 cell" : `${count} cells`;
}

function rowOf(rounds: Rounds, id: string, count: number): Row[] {
  const [name, none] = [nameOf(count), nameOf(0)];
  const median = (subject: string, figure: string): number => rounds.median(subject, figure);
  if (count === 0) return [];
  const costs = [name, none].map(
    (each) => `${short(median(each, "cpu_us"))} + ${short(median(each, "database_us"))} µs`,
  );
  return [
    {
      id: `${id}.${count}`,
      name: `${name} ÷ no cells: processor time per call, gateway and PostgreSQL, 32 calls under way in each`,
      value: rounds.ratio(name, none, "total_us"),
      noise: rounds.spread(BARE, "cpu_us"),
      from: `${quotient(median(name, "total_us"), median(none, "total_us"), "µs")}; ${costs.join(", none: ")}`,
    },
  ];
}
