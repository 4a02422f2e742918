import { runLoad, targetOf, vendorPlace } from "../drive.ts";
import { WHOLE } from "../exchange.ts";
import { plainCommitMs } from "../plain-commit.ts";
import { Rounds } from "../rounds.ts";
import { type Lane, type Row, rowId, type Setting, short } from "./lane.ts";
import { inRounds, warm } from "./measure-calls.ts";
import { BARE, type Served, type Subject, serve, serveBare } from "./served.ts";

/**
 * What a gateway adds to a call that is alone: calls to the vendor and through the gateway in turn. Both of the ledger's commits are
 * durable before the answer's last byte, so a plain commit of the same disk stands beside it.
 */
export const added: Lane = { name: "added", measure };

const FULL = { rounds: 7, calls: 600, calls_postgres: 200, warm: 40_000, warm_postgres: 10_000 };
const QUICK: typeof FULL = { rounds: 2, calls: 100, calls_postgres: 40, warm: 1000, warm_postgres: 300 };
/** The name of the disk in the rounds. */
const DISK = "a plain commit";

async function measure(setting: Setting) {
  await using scope = new AsyncDisposableStack();
  const rounds = new Rounds();
  const amounts = setting.quick ? QUICK : FULL;
  const bare = await serveBare(setting, scope);
  await warm(bare, { calls: amounts.warm, concurrency: 32 });
  const cast: Served[] = [];
  for (const database of setting.databases) {
    const calls = database === "sqlite" ? amounts.warm : amounts.warm_postgres;
    for (const variant of setting.variants) {
      setting.say(`added: ${variant.name} on ${database} is warmed up`);
      const served = await serve(setting, scope, variant, database);
      await warm(served, { calls, concurrency: 32 });
      cast.push(served);
    }
  }
  const callsOf = (subject: Subject): number => (subject.databaseMs() > 0 ? amounts.calls_postgres : amounts.calls);
  await inRounds(amounts.rounds, [bare, ...cast], async (subject, round) => {
    if (subject === bare) {
      setting.say(`added: round ${round + 1} of ${amounts.rounds}`);
      rounds.add(DISK, { commit_ms: plainCommitMs(setting.folder) });
    }
    const targets = [targetOf(vendorPlace(setting.vendor_url), WHOLE), targetOf(subject, WHOLE)];
    const order = { targets, in_turn: true, calls: callsOf(subject), concurrency: 1 };
    const [without, through] = (await runLoad(order)).latencies;
    if (!without || !through) throw new Error("the load generator left a target out");
    const [added_p50_ms, added_p99_ms] = [through.p50_ms - without.p50_ms, through.p99_ms - without.p99_ms];
    rounds.add(subject.name, { added_p50_ms, added_p99_ms, direct_p50_ms: without.p50_ms, p50_ms: through.p50_ms });
  });
  return { rows: cast.map((served) => rowOf(rounds, served)), rounds };
}

function rowOf(rounds: Rounds, { name, variant, database }: Served): Row {
  const least = (subject: string, figure: string): number => Math.min(...rounds.all(subject, figure));
  const [value, bare, commit] = [least(name, "added_p50_ms"), least(BARE, "added_p50_ms"), least(DISK, "commit_ms")];
  return {
    id: rowId(variant, `added.${database}`),
    name: `${name}: added p50 at concurrency 1, ms`,
    // The least, because a machine's disturbances only ever add.
    value,
    noise: rounds.spread(BARE, "p50_ms"),
    from: `bare ${short(bare)} ms; a plain commit ${short(commit)} ms, and two are waited for`,
  };
}
