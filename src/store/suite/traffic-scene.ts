import { expect } from "bun:test";
import { NO_USAGE } from "../../core/money/usage.ts";
import type { TrafficQuery, TrafficReport, UpstreamPrices } from "../../core/operations/traffic.ts";
import { type Customer, OUTCOME, PRICE, type TestDatabase } from "./books.ts";

export const MS_PER_HOUR = 3_600_000;
export const HOUR = Math.floor(Date.now() / MS_PER_HOUR);
/** Wide enough for a suite that runs over an hour's or a day's end. */
export const AROUND = [[HOUR - 24, HOUR + 25]] as const;
export const TODAY = [[Math.floor(HOUR / 24) * 24 - 24, Math.floor(HOUR / 24) * 24 + 48]] as const;

/** Counts what has ended, in small slices, until nothing is left to count. */
export async function count({ store }: TestDatabase, prices: UpstreamPrices = {}, limit = 50): Promise<void> {
  for (let written_only = false; ; written_only = true) {
    const slice = await store.upkeep.readTrafficSlice({ limit, prices_json: JSON.stringify(prices), written_only });
    expect(await store.upkeep.writeTrafficSlice(slice)).toBe(true);
    if (!slice.has_more) return;
  }
}

export function ask(customer: Customer, query: Partial<TrafficQuery> = {}): Promise<TrafficReport> {
  const { accounts } = customer.database.store;
  const whole = { account_id: customer.account.id, periods: AROUND, before: null, by_day: false, group: null, top: 8 };
  return accounts.reportTraffic({ ...whole, ...query });
}

export const ATTEMPT = {
  upstream_model: "swift-1",
  status: 200,
  error: null,
  first_byte_ms: 100,
  duration_ms: 400,
} as const;
export const answeredBy = (vendor: string) => ({ ...OUTCOME, attempts: [{ vendor, ...ATTEMPT }] });

export async function failed(customer: Customer): Promise<void> {
  const outcome = { ...answeredBy("other"), error: "provider_error" } as const;
  await customer.void(await customer.hold(), { outcome });
}

export const SETTLED = {
  usage: { ...NO_USAGE, input_tokens: 4, cache_read_tokens: 6, output_tokens: 15 },
  price: PRICE,
};
