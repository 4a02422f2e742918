import type { TestKey } from "../support/gateway.ts";
import { ask, type PlannedAsk } from "./client.ts";
import { Draw } from "./draw.ts";
import type { ClientCall } from "./history.ts";
import { planCall } from "./plan-call.ts";
import type { RoundPlan } from "./plan-round.ts";

export interface LoadOptions {
  readonly plan: RoundPlan;
  /** The round's position in the run, part of its calls' ids. */
  readonly round: number;
  readonly lane: number;
  readonly keys: readonly TestKey[];
  readonly nodes: number;
  /** The address of a node at this moment: a node that was started again has another. */
  url(node: number): string;
}

/** After a refusal a client waits, and for longer where nobody answers: it would otherwise fill the round with refusals. */
const AFTER_REFUSAL_MS = 60;
const AFTER_SILENCE_MS = 250;

/** Calls of the round's workers, each drawing from a source of its own, until the time is over and all calls have ended. */
export async function runLoad(options: LoadOptions): Promise<ClientCall[]> {
  const { plan } = options;
  const calls: ClientCall[] = [];
  const end_ms = performance.now() + plan.load_ms;
  const work = async (worker: number): Promise<void> => {
    const draw = new Draw(plan.seed * 1000 + worker);
    for (let at = 0; performance.now() < end_ms; at += 1) {
      const id = `call-${options.lane}-${options.round}-${worker}-${at}`;
      const made = await callAndRepeat(options, draw, id);
      calls.push(...made);
      const endings = made.map(({ ending }) => ending);
      if (endings.includes("cut off")) await Bun.sleep(AFTER_SILENCE_MS);
      else if (endings.includes("refused")) await Bun.sleep(AFTER_REFUSAL_MS);
    }
  };
  await Promise.all(Array.from({ length: plan.workers }, (_, worker) => work(worker)));
  return calls;
}

async function callAndRepeat(options: LoadOptions, draw: Draw, id: string): Promise<ClientCall[]> {
  const plan = planCall(draw, options.nodes, options.plan.long);
  const key = options.keys[plan.key] as TestKey;
  const at = (node: number, name: string): PlannedAsk => ({
    id: name,
    prompt_id: id,
    plan,
    node,
    url: options.url(node),
    key,
    idempotency_key: plan.repeats === null ? null : `key-of-${id}`,
  });
  const first = ask(at(plan.node, id));
  const repeats = Array.from({ length: plan.repeats ?? 0 }, (_, repeat) => ({
    name: `${id}-again-${repeat}`,
    node: (plan.node + repeat) % options.nodes,
  }));
  const calls: ClientCall[] = [];
  const at_once = plan.repeats_at_once ? repeats.shift() : undefined;
  if (at_once !== undefined) calls.push(await ask(at(at_once.node, at_once.name)));
  calls.push(await first);
  for (const { name, node } of repeats) calls.push(await ask(at(node, name)));
  if (plan.pause_ms > 0) await Bun.sleep(plan.pause_ms);
  return calls;
}
