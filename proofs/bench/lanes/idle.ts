import { Rounds } from "../rounds.ts";
import { type Lane, type Row, rowId, type Setting, short } from "./lane.ts";
import { warm } from "./measure-calls.ts";
import { BARE, cpuOf, type Served, type Subject, serve, serveBare } from "./served.ts";

/** What programs do while nobody calls them. All of them are looked at in the same seconds, as they do not disturb each other. */
export const idle: Lane = { name: "idle", measure };

const FULL = { rounds: 5, round_ms: 5000, rest_ms: 10_000, warm: 5000 };
const QUICK: typeof FULL = { rounds: 2, round_ms: 1000, rest_ms: 1000, warm: 200 };

async function measure(setting: Setting) {
  await using scope = new AsyncDisposableStack();
  const rounds = new Rounds();
  const amounts = setting.quick ? QUICK : FULL;
  const bare = await serveBare(setting, scope);
  const cast: Served[] = [];
  for (const database of setting.databases) {
    for (const variant of setting.variants) cast.push(await serve(setting, scope, variant, database));
  }
  const subjects: readonly Subject[] = [bare, ...cast];
  for (const subject of subjects) await warm(subject, { calls: amounts.warm, concurrency: 8 });
  setting.say(`idle: nobody calls for ${(amounts.rest_ms + amounts.rounds * amounts.round_ms) / 1000} s`);
  // Until what the calls have left behind is written and given back.
  await Bun.sleep(amounts.rest_ms);
  for (let round = 0; round < amounts.rounds; round++) {
    const began_ms = performance.now();
    const before = subjects.map(cpuOf);
    await Bun.sleep(amounts.round_ms);
    const after = subjects.map(cpuOf);
    const seconds = (performance.now() - began_ms) / 1000;
    for (const [index, { name }] of subjects.entries()) {
      const of = (key: "own_ms" | "database_ms"): number =>
        ((after[index]?.[key] ?? Number.NaN) - (before[index]?.[key] ?? Number.NaN)) / seconds;
      rounds.add(name, { own_ms_per_s: of("own_ms"), database_ms_per_s: of("database_ms") });
    }
  }
  return { rows: cast.map((served) => rowOf(rounds, served)), rounds };
}

function rowOf(rounds: Rounds, { name, variant, database }: Served): Row {
  const bare = `bare ${short(rounds.median(BARE, "own_ms_per_s"))}`;
  const beside = `, PostgreSQL ${short(rounds.median(name, "database_ms_per_s"))}`;
  return {
    id: rowId(variant, `idle.${database}`),
    name: `${name}, idle: processor time, ms a second`,
    value: rounds.median(name, "own_ms_per_s"),
    noise: rounds.spread(name, "own_ms_per_s"),
    from: database === "sqlite" ? bare : `${bare}${beside}`,
  };
}
