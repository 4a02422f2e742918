import type { Variant } from "../gateway.ts";
import { Rounds } from "../rounds.ts";
import { type Lane, quotient, type Row, rowId, type Setting, short } from "./lane.ts";
import { inRounds, measureTogether, warm } from "./measure-calls.ts";
import { startPostgres } from "./own-postgres.ts";
import { BARE, type Served, type Subject, serveBare, serveBeside, serveOn } from "./served.ts";

/** Two gateways that draw on one wallet with one key, beside one of them alone under the same load. */
export const twoGateways: Lane = { name: "two-gateways", measure };

const FULL = { rounds: 5, calls: 4000, concurrency: 64, warm: 10_000 };
const QUICK: typeof FULL = { rounds: 2, calls: 400, concurrency: 64, warm: 500 };

interface Pair {
  readonly one: Served;
  readonly other: Served;
}

async function measure(setting: Setting) {
  await using scope = new AsyncDisposableStack();
  const rounds = new Rounds();
  const amounts = setting.quick ? QUICK : FULL;
  const { calls, concurrency } = amounts;
  const bare = await serveBare(setting, scope);
  await warm(bare, { calls: amounts.warm, concurrency });
  const looks: { readonly name: string; readonly subjects: readonly Subject[] }[] = [{ name: BARE, subjects: [bare] }];
  for (const variant of setting.variants) {
    setting.say(`two-gateways: two of ${variant.name} are warmed up`);
    const { one, other } = await pairOf(setting, scope, variant);
    for (const each of [one, other]) await warm(each, { calls: amounts.warm, concurrency });
    looks.push({ name: nameOf(variant, 1), subjects: [one] }, { name: nameOf(variant, 2), subjects: [one, other] });
  }
  await inRounds(amounts.rounds, looks, async ({ name, subjects }, round) => {
    if (name === BARE) setting.say(`two-gateways: round ${round + 1} of ${amounts.rounds}`);
    rounds.add(name, await measureTogether(subjects, { calls, concurrency }));
  });
  return { rows: setting.variants.map((variant) => rowOf(rounds, variant)), rounds };
}

async function pairOf(setting: Setting, scope: AsyncDisposableStack, variant: Variant): Promise<Pair> {
  const postgres = await startPostgres(setting, scope);
  const one = await serveOn(setting, scope, variant, postgres);
  const other = await serveBeside(setting, scope, variant, { postgres, database_url: one.home.database_url });
  return { one, other: { ...other, key: one.key } };
}

function nameOf({ name }: Variant, gateways: 1 | 2): string {
  return gateways === 1 ? `one ${name}` : `two ${name}s`;
}

function rowOf(rounds: Rounds, variant: Variant): Row {
  const [two, one] = [nameOf(variant, 2), nameOf(variant, 1)];
  const costOf = (subject: string): string =>
    `${short(rounds.median(subject, "cpu_us"))} + ${short(rounds.median(subject, "database_us"))} µs`;
  const calls = quotient(rounds.median(two, "per_s"), rounds.median(one, "per_s"), "");
  return {
    id: rowId(variant, "two-gateways.calls"),
    name: `${two} on one wallet ÷ one: calls a second at 64 in all`,
    value: rounds.ratio(two, one, "per_s"),
    noise: rounds.spread(BARE, "per_s"),
    from: `${calls}; gateways + database ${costOf(two)}, one: ${costOf(one)}`,
  };
}
