import type { DeliveryTarget } from "../core/deliveries/targets.ts";
import { USAGE_TYPE, type UsageEvent } from "../core/deliveries/usage-events.ts";
import { appendLines, tryFolder } from "../webhooks/append-lines.ts";
import type { GuardedClient } from "../webhooks/guarded-client.ts";
import { putRequest, readStorage } from "../webhooks/put-object.ts";
import { sendToTarget, type TargetMessage, type TargetWays } from "./send-to-target.ts";
import { failedWith, type Tried, triedWith } from "./tried.ts";

/** A try of a delivery ends after this time, and goes on when it is claimed again: well within its lease. */
const TRY_MS = 20_000;

interface UsageDelivery {
  readonly id: string;
  readonly created_ms: number;
  readonly events: readonly UsageEvent[];
  /** How many of them this process has sent already. */
  readonly sent: number;
}

interface SentUsage {
  /** Null: some are still to be sent, and there was no failure. */
  readonly tried: Tried | null;
  /** How many of all were sent by now. */
  readonly sent: number;
}

export interface UsageWays extends TargetWays {
  readonly client: Pick<GuardedClient, "post" | "line">;
}

/** Sends usage events in the target's way: each as a webhook, one after the other over one connection, or all of them as JSON lines. */
export async function sendUsage(ways: UsageWays, target: DeliveryTarget, delivery: UsageDelivery): Promise<SentUsage> {
  const { id, created_ms, events } = delivery;
  if (target.channel === "webhook") return await sendEach(ways, target, delivery);
  const day = new Date(created_ms).toISOString();
  const lines = usageEventLines(events);
  const tried =
    target.channel === "file"
      ? await onDisk(() => appendLines(target.address, `${day.slice(0, 10)}.jsonl`, lines))
      : await putLines(ways, target.address, { name: `${day.slice(0, 10).replaceAll("-", "/")}/${id}.jsonl`, lines });
  return { tried, sent: 0 };
}

/** Tries whether a target takes anything, and leaves no usage event there. */
export async function tryUsageTarget(ways: TargetWays, target: DeliveryTarget, test: TargetMessage): Promise<Tried> {
  if (target.channel === "file") return await onDisk(() => tryFolder(target.address));
  if (target.channel === "s3") return await putLines(ways, target.address, { name: "camino-test.jsonl", lines: "\n" });
  return await sendToTarget(ways, target, test);
}

async function sendEach(ways: UsageWays, target: DeliveryTarget, delivery: UsageDelivery): Promise<SentUsage> {
  const line = ways.client.line();
  try {
    return await sendOn({ ...ways, client: line }, target, delivery);
  } finally {
    line.end();
  }
}

async function sendOn(ways: TargetWays, target: DeliveryTarget, { events, sent }: UsageDelivery): Promise<SentUsage> {
  const ends_ms = performance.now() + TRY_MS;
  let tried: Tried = { how: "not_needed", status: null };
  for (let at = sent; at < events.length; at += 1) {
    const event = events[at] as UsageEvent;
    if (performance.now() > ends_ms) return { tried: null, sent: at };
    tried = await sendToTarget(ways, target, { id: usageEventId(event), body: usageEventBody(event) });
    if (tried.how === "failed") return { tried, sent: at };
  }
  return { tried, sent: events.length };
}

async function putLines(
  { client, now_ms }: TargetWays,
  address: string,
  { name, lines: body }: { readonly name: string; readonly lines: string },
): Promise<Tried> {
  try {
    const object = { name, body, content_type: "application/x-ndjson", now_ms: now_ms() };
    return triedWith(await client.post(await putRequest(readStorage(address), object)));
  } catch (thrown) {
    return failedWith(thrown);
  }
}

async function onDisk(write: () => Promise<void>): Promise<Tried> {
  try {
    await write();
    return { how: "sent", status: null };
  } catch (thrown) {
    return failedWith(thrown);
  }
}

function usageEventBody(event: UsageEvent): string {
  const data = dataOf(event);
  return JSON.stringify({ type: USAGE_TYPE, timestamp: data.settled_at, data });
}

/** Usage events as JSON lines: each line is what a webhook has as its `data`. */
function usageEventLines(events: readonly UsageEvent[]): string {
  return events.map((event) => `${JSON.stringify(dataOf(event))}\n`).join("");
}

/** The id of a usage event's webhook: the same in every try, at every target and when a person sends it again. */
function usageEventId({ account, cursor }: UsageEvent): string {
  return `usg_${account}_${cursor}`;
}

/** Amounts are numbers, which the schema keeps exact. */
function dataOf({ usage, charge_micro, settled_ms, ...named }: UsageEvent) {
  return {
    ...named,
    usage: usage && usageOf(usage),
    charge_micro: Number(charge_micro),
    settled_at: new Date(settled_ms).toISOString(),
  };
}

function usageOf({ extra, served: _, ...counts }: NonNullable<UsageEvent["usage"]>): object {
  return { ...counts, ...extra };
}
