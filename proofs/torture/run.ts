/**
 * Tortures real gateways: random kills, pauses, outages, full disks, clock jumps and lying vendors under mixed load, each round
 * reconciled with the vendors' own log. See README.md.
 *
 *   npm run torture -- --rounds 200 --minutes 30 [--database sqlite|postgres|cells|both|all] [--seed N] [--lanes N]
 */
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseKind } from "./harms.ts";
import { findFaketime } from "./movable-clock.ts";
import { readOptions, type TortureOptions, USAGE } from "./options.ts";
import { planRound } from "./plan-round.ts";
import type { Finding } from "./reconcile/finding.ts";
import { reconcile } from "./reconcile/reconcile.ts";
import { runRound } from "./round.ts";
import { Summary } from "./summary.ts";
import { startWorld, type World } from "./world.ts";

/** How many findings of a round are told on the terminal. */
const SHOWN = 8;
const options = optionsOrUsage();
const faketime = findFaketime(options.faketime);
const kept = join(tmpdir(), `camino-torture-found-${process.pid}`);
const end_ms = performance.now() + options.minutes * 60_000;

console.log(
  `torture: ${options.rounds} rounds or ${options.minutes} min on ${options.databases.join(" and ")}, --seed ${options.seed}`,
);
if (faketime === null)
  console.log("no clock is moved: libfaketime is not there (apt-get install libfaketime, or --faketime PATH)");

let found = 0;
for (const database of options.databases) {
  const summary = await tortureDatabase(database, options);
  console.log(`\n${database}`);
  for (const line of summary.lines()) console.log(`  ${line}`);
  found += summary.found;
}
console.log(found === 0 ? `sound; to repeat: --seed ${options.seed}` : `${found} findings; logs: ${kept}`);
// Connections that nobody waits for any more must not keep the command.
process.exit(found === 0 ? 0 : 1);

function optionsOrUsage(): TortureOptions {
  try {
    return readOptions(process.argv.slice(2));
  } catch (thrown) {
    console.error(`${thrown instanceof Error ? thrown.message : "The arguments cannot be read."}\n${USAGE}`);
    process.exit(2);
  }
}

async function tortureDatabase(database: DatabaseKind, options: TortureOptions): Promise<Summary> {
  const { rounds, lanes, only } = options;
  const summary = new Summary();
  const next = Array.from({ length: rounds }, (_, round) => round).values();
  const lane = async (position: number): Promise<void> => {
    let world: World | null = null;
    try {
      for (const round of next) {
        if (performance.now() > end_ms) return;
        world ??= await startWorld({ database, faketime, only });
        if (round === 0 && !world.disk.can_be_filled)
          console.log("no disk is filled: only root can mount a file system");
        if (await oneRound(world, { round, lane: position, summary })) continue;
        await world[Symbol.asyncDispose]();
        world = null;
      }
    } finally {
      await world?.[Symbol.asyncDispose]();
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, rounds) }, (_, position) => lane(position)));
  return summary;
}

/** Resolves with false when the world cannot be used for another round. */
async function oneRound(world: World, at: { round: number; lane: number; summary: Summary }): Promise<boolean> {
  const { round, lane, summary } = at;
  const plan = planRound(options.seed + round, world.facts);
  if (plan.harms.length === 0) throw new Error(`none of the harms of --only is possible on ${world.facts.database}`);
  const started_ms = performance.now();
  try {
    const history = await runRound(world, { plan, round, lane });
    const findings = reconcile(history);
    summary.add(history, plan.harms, findings);
    const seconds = ((performance.now() - started_ms) / 1000).toFixed(1);
    const harms = plan.harms.map(({ kind }) => kind).join(", ");
    console.log(`${world.facts.database} round ${round + 1}: ${history.calls.length} calls, ${seconds} s (${harms})`);
    if (findings.length > 0) await keep(world, { plan, history, findings });
    return !history.told_loss;
  } catch (thrown) {
    const problem = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    const findings: Finding[] = [{ kind: "broken world", what: problem }];
    summary.addFindings(findings);
    await keep(world, { plan, history: null, findings });
    return false;
  }
}

interface Kept {
  readonly plan: ReturnType<typeof planRound>;
  readonly history: Awaited<ReturnType<typeof runRound>> | null;
  readonly findings: readonly Finding[];
}

/** Tells what was found, and keeps all that is known of the round. */
async function keep(world: World, { plan, history, findings }: Kept): Promise<void> {
  const folder = join(kept, `${world.facts.database}-${plan.seed}`);
  mkdirSync(folder, { recursive: true });
  await Bun.write(join(folder, "plan.json"), JSON.stringify(plan, null, 2));
  await Bun.write(join(folder, "findings.json"), JSON.stringify(findings, null, 2));
  await Bun.write(join(folder, "history.json"), JSON.stringify(history, null, 1));
  for (const node of world.nodes) await Bun.write(join(folder, `node-${node.index}.log`), node.log);
  if (world.postgres !== null) await Bun.write(join(folder, "server.log"), Bun.file(world.postgres.server.log));
  for (const { kind, what } of findings.slice(0, SHOWN)) console.log(`  FOUND ${kind}: ${what}`);
  if (findings.length > SHOWN) console.log(`  and ${findings.length - SHOWN} more`);
  console.log(`  to repeat: --database ${world.facts.database} --rounds 1 --seed ${plan.seed}; logs: ${folder}`);
}
