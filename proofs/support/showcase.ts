import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { Gateway, TestKey } from "./gateway.ts";
import { type SimulatedGateway, startSimulatedGateway, THINKING, VISION } from "./simulated-gateway.ts";

/**
 * A gateway with history, for pages that show it: an account that has used four models with two keys for six weeks.
 * Every call was really made and billed; then its day was moved, with all that depends on the day.
 */
export interface Showcase extends AsyncDisposable {
  readonly gateway: Gateway;
  /** The account's id. */
  readonly account: string;
  readonly keys: readonly TestKey[];
}

const DAYS = 45;
const CALLS = 160;
/** How many of the newest calls are of today. */
const TODAYS_CALLS = 4;
const DAY_MS = 86_400_000;
/** The order in which the models are called, some more often than others. */
const TURNS = [0, 1, 0, 2, 3, 0, 1, 0, 2, 0, 3];

const SUMS = ["traffic_hours", "traffic_days", "traffic_account_hours", "traffic_account_days", "traffic_key_days"];

/** Statements after which a gateway counts its requests anew. Refusals have no requests, and stay. */
export const FORGET_TRAFFIC = [
  ...SUMS.map((table) => `DELETE FROM ${table} WHERE substr(outcome, 1, 1) <> '!'`),
  ...["DELETE FROM traffic_waiting", "DELETE FROM traffic_state"],
];

const MODELS = {
  "acme/swift-1": { upstream_model: "echo", display_name: "Swift 1", price: { input: 3, output: 15, cache_read: 0.3 } },
  "acme/deep-thought": {
    upstream_model: "reason",
    display_name: "Deep Thought",
    price: { input: 8, output: 32 },
    context_length: 400_000,
    ...THINKING,
  },
  "chatty/scribe": {
    upstream_model: "echo",
    display_name: "Scribe",
    price: { input: 1, output: 4 },
    context_length: 128_000,
  },
  "wordy/verse-large": {
    upstream_model: "echo",
    display_name: "Verse Large",
    price: { input: 5, output: 20 },
    context_length: 200_000,
    ...VISION,
  },
};

export async function startShowcase(): Promise<Showcase> {
  const first = await startSimulatedGateway({ models: MODELS });
  const email = "studio@example.com";
  const account = await first.gateway.admin<{ id: string }>("POST", "/accounts", {
    email,
    name: "Example Studio",
    credit: "50",
  });
  const keys: TestKey[] = [];
  for (const name of ["Production", "Notebooks"]) {
    const made = await first.gateway.admin<TestKey>("POST", "/keys", { account: email, name });
    keys.push({ id: made.id, key: made.key, account: account.id });
  }
  await makeCalls(first, keys);
  await first.gateway.stop();
  moveDays(first.gateway.data, account.id);
  const gateway = await first.gateway.restart();
  return {
    gateway,
    account: account.id,
    keys,
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await first[Symbol.asyncDispose]();
    },
  };
}

/** Makes calls of many sizes, equal in every run. */
async function makeCalls({ gateway }: SimulatedGateway, keys: readonly TestKey[]): Promise<void> {
  const models = Object.keys(MODELS);
  for (let call = 0; call < CALLS; call++) {
    const words = 200 + ((call * 7919) % 61) * 180;
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${keys[call % 3 === 0 ? 1 : 0]?.key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: models[TURNS[call % TURNS.length] ?? 0],
        max_tokens: 800,
        messages: [{ role: "user", content: "pilgrim ".repeat(words) }],
      }),
    });
    if (!response.ok) throw new Error(`a call of the showcase failed: ${await response.text()}`);
    await response.text();
  }
}

function moveDays(data: string, account: string): void {
  using database = new Database(join(data, "camino.db"));
  const requests = database.query<{ id: string }, []>("SELECT id FROM requests ORDER BY seq").all();
  const past = requests.length - TODAYS_CALLS;
  // Triggers protect the books from changes; they are removed here and restored at once.
  const guards = database
    .query<{ name: string; sql: string }, []>("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    .all();
  database.transaction(() => {
    for (const { name } of guards) database.run(`DROP TRIGGER ${name}`);
    for (const [index, { id }] of requests.slice(0, past).entries()) {
      const back_ms = (DAYS - Math.floor((index * DAYS) / past)) * DAY_MS;
      database.run(
        "UPDATE requests SET created_ms = created_ms - ?1, deadline_ms = deadline_ms - ?1, ended_ms = ended_ms - ?1 WHERE id = ?2",
        [back_ms, id],
      );
      database.run("UPDATE entries SET created_ms = created_ms - ? WHERE request_id = ?", [back_ms, id]);
    }
    const begun_ms = (DAYS + 1) * DAY_MS;
    database.run("UPDATE entries SET created_ms = created_ms - ? WHERE request_id IS NULL", [begun_ms]);
    database.run("UPDATE accounts SET created_ms = created_ms - ? WHERE id = ?", [begun_ms, account]);
    database.run("UPDATE keys SET created_ms = created_ms - ? WHERE account_id = ?", [begun_ms, account]);
    database.run("DELETE FROM usage_days WHERE account_id = ?", [account]);
    database.run(
      `INSERT INTO usage_days (account_id, day, key_id, model, cost_micro, prompt_tokens, completion_tokens, ended_count, success_count)
       SELECT account_id, created_ms / ${DAY_MS}, key_id,
         (SELECT text FROM texts WHERE no = model_no), SUM(charge_micro),
         SUM(input_tokens + cache_read_tokens + cache_write_tokens), SUM(output_tokens), COUNT(*), SUM(success)
       FROM requests WHERE account_id = ? GROUP BY 1, 2, 3, 4`,
      [account],
    );
    // What was counted before the days moved is counted anew.
    for (const statement of FORGET_TRAFFIC) database.run(statement);
    for (const { sql } of guards) database.run(sql);
  })();
}
