import type { Variant } from "../gateway.ts";
import { Rounds } from "../rounds.ts";
import { type Lane, quotient, type Row, rowId, type Setting } from "./lane.ts";
import { inRounds, measureCalls, warm } from "./measure-calls.ts";
import { type OwnPostgres, startPostgres } from "./own-postgres.ts";
import { BARE, type Served, serveBare, serveOn } from "./served.ts";

/**
 * A PostgreSQL that was created this morning beside one whose tables are analysed. Both gateways start on empty tables, so that
 * their statements are first planned of those, and grow alike before anything counts.
 */
export const young: Lane = { name: "young", measure };

const FULL = {
  rounds: 4,
  loads: [
    { concurrency: 1, calls: 200 },
    { concurrency: 32, calls: 2500 },
  ],
  grow: 12_000,
};
const QUICK: typeof FULL = {
  rounds: 2,
  loads: [
    { concurrency: 1, calls: 50 },
    { concurrency: 32, calls: 300 },
  ],
  grow: 1000,
};

/** A server on which nobody analyses a table unless told to. */
const NEVER_BY_ITSELF = ["autovacuum=off"];
type State = "young" | "analysed";

async function measure(setting: Setting) {
  await using scope = new AsyncDisposableStack();
  const rounds = new Rounds();
  const amounts = setting.quick ? QUICK : FULL;
  const postgres = await startPostgres(setting, scope, NEVER_BY_ITSELF);
  const bare = await serveBare(setting, scope);
  await warm(bare, { calls: amounts.grow, concurrency: 32 });
  const cast: { readonly name: string; readonly served: Served }[] = [];
  for (const variant of setting.variants) {
    setting.say(`young: ${variant.name}'s two databases grow to ${amounts.grow} requests each`);
    for (const state of ["young", "analysed"] as const) {
      const served = await serveOn(setting, scope, variant, postgres);
      await warm(served, { calls: amounts.grow, concurrency: 32 });
      if (state === "analysed") await analyse(postgres, served);
      cast.push({ name: nameOf(variant, state), served });
    }
  }
  const subjects = [{ name: BARE, served: bare }, ...cast];
  for (const load of amounts.loads) {
    await inRounds(amounts.rounds, subjects, async ({ name, served }, round) => {
      if (name === BARE) setting.say(`young: at ${load.concurrency}, round ${round + 1} of ${amounts.rounds}`);
      rounds.add(at(name, load), await measureCalls(served, load));
    });
  }
  const rows = setting.variants.flatMap((variant) => amounts.loads.map((load) => rowOf(rounds, variant, load)));
  return { rows, rounds };
}

/** What autovacuum does by itself within minutes. */
async function analyse(postgres: OwnPostgres, { home }: Served): Promise<void> {
  await postgres.run(home.database_url ?? "", "VACUUM (ANALYZE)");
}

function nameOf({ name }: Variant, state: State): string {
  return `${name}, ${state}`;
}

type Load = (typeof FULL.loads)[number];

function at(name: string, { concurrency }: Load): string {
  return `${name}, at ${concurrency}`;
}

function rowOf(rounds: Rounds, variant: Variant, load: Load): Row {
  const [young, analysed] = [at(nameOf(variant, "young"), load), at(nameOf(variant, "analysed"), load)];
  return {
    id: rowId(variant, `young.${load.concurrency}.calls`),
    name: `${variant.name} on PostgreSQL, never analysed ÷ analysed: calls a second at ${load.concurrency}`,
    value: rounds.ratio(young, analysed, "per_s"),
    noise: rounds.spread(at(BARE, load), "per_s"),
    from: quotient(rounds.median(young, "per_s"), rounds.median(analysed, "per_s"), ""),
  };
}
