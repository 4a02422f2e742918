import { audit } from "./audit.ts";
import { doHarm } from "./do-harm.ts";
import type { RoundHistory } from "./history.ts";
import { runLoad } from "./load.ts";
import type { RoundPlan } from "./plan-round.ts";
import { makeRoundKeys, readBooks } from "./read-books.ts";
import { vendorCalls } from "./vendor-log.ts";
import type { World } from "./world.ts";

export interface RoundOptions {
  readonly plan: RoundPlan;
  readonly round: number;
  readonly lane: number;
}

/** One round: load and harm at the same time, then rest, then what the three sides have to say. */
export async function runRound(world: World, { plan, round, lane }: RoundOptions): Promise<RoundHistory> {
  for (const node of world.nodes) node.forget();
  world.simulator.log.clear();
  world.rude.forget();
  const keys = await makeRoundKeys(gatewayOf(world));
  world.postgres?.moves.begins(keys.map(({ account }) => account));
  // Accounts that were made just now are in the log alone, and a round without accounts shows nothing.
  if (plan.harms.some(({ kind }) => kind === "damaged log")) await restart(world);
  const load = runLoad({
    ...{ plan, round, lane, keys, nodes: world.nodes.length },
    url: (node) => world.nodes[node]?.gateway.url ?? "",
  });
  const harms = plan.harms.map(async (harm) => {
    await Bun.sleep(harm.at_ms);
    await doHarm(world, harm);
  });
  const [calls] = await Promise.all([load, ...harms]);
  await world.postgres?.server.ensureRunning();
  for (const node of world.nodes) await node.ensureRunning();
  const unmoved = (await world.postgres?.moves.finish()) ?? [];
  const accounts = await readBooks(gatewayOf(world), keys);
  const vendor = vendorCalls(world.simulator.log, world.rude.requests);
  const deaths = world.nodes.flatMap((node) => node.deaths);
  const collapses = world.nodes.flatMap((node) => node.collapses);
  const told_loss = world.nodes.some((node) => node.told_loss);
  const found = (await audit(world)).filter((problem) => !told_loss || !TOLD.test(problem));
  return { calls, vendor, accounts, deaths, told_loss, audit: [...collapses, ...unmoved, ...found] };
}

/** What the audit says of charges that are gone, which an operator has been told of and has accepted. */
const TOLD = /log_lost/;

async function restart({ nodes }: World): Promise<void> {
  await Promise.all(nodes.map((node) => node.stop()));
  await Promise.all(nodes.map((node) => node.ensureRunning()));
}

function gatewayOf({ nodes: [first] }: World) {
  if (first === undefined) throw new Error("a world has at least one node");
  return first.gateway;
}
