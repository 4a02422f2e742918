import { USAGE_TYPE, type UsageEvent } from "../core/deliveries/usage-events.ts";

export function usageEventBody(event: UsageEvent): string {
  const data = dataOf(event);
  return JSON.stringify({ type: USAGE_TYPE, timestamp: data.settled_at, data });
}

/** Usage events as JSON lines: each line is what a webhook has as its `data`. */
export function usageEventLines(events: readonly UsageEvent[]): string {
  return events.map((event) => `${JSON.stringify(dataOf(event))}\n`).join("");
}

/** The id of a usage event's webhook: the same in every try, at every target and when a person sends it again. */
export function usageEventId({ account, cursor }: UsageEvent): string {
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
