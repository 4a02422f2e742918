import { Database } from "bun:sqlite";
import { join } from "node:path";
import { MS_PER_DAY } from "../../src/core/clock.ts";
import type { Gateway } from "./gateway.ts";

export interface PastUsage {
  readonly account: string;
  readonly key: string;
  readonly model: string;
  /** How many days ago; 0 is today. */
  readonly days_ago: number;
  readonly cost_micro: number;
  readonly requests: number;
  readonly failures?: number;
}

/**
 * Gives accounts past usage, which calls cannot make: the gateway is stopped, sums of past days are written, and the
 * gateway is started again. Only readers of days' sums see this usage: it has no requests and no entries.
 */
export async function restartWithPast(gateway: Gateway, past: readonly PastUsage[]): Promise<Gateway> {
  await gateway.stop();
  const today = Math.floor(Date.now() / MS_PER_DAY);
  const database = new Database(join(gateway.data, "camino.db"));
  const insert = database.prepare(
    `INSERT INTO usage_days (account_id, day, key_id, model, cost_micro, prompt_tokens, completion_tokens, ended_count, success_count)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  database.transaction(() => {
    for (const { account, key, model, days_ago, cost_micro, requests, failures = 0 } of past) {
      const tokens = requests * 1_850;
      insert.run(account, today - days_ago, key, model, cost_micro, tokens, tokens / 5, requests, requests - failures);
    }
  })();
  database.close();
  return await gateway.restart();
}
