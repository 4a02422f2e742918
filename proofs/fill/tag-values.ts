import { Database } from "bun:sqlite";
import { SQL } from "bun";
import { ZERO } from "../../src/core/money/money.ts";
import { MOST_TAG_VALUES } from "../../src/core/operations/upkeep.ts";
import type { AppliedRule } from "../../src/core/people/limit-rules.ts";
import { openStore } from "../../src/store/open-store.ts";
import { type Customer, newCustomer, settleOp } from "../../src/store/suite/books.ts";
import { NODE } from "./targets.ts";

/** Values of a limit by tag, as many as are kept and more (docs/rulings.md 176): what they weigh, what they cost, and how the rest goes. */

const RULE = "account tag customer";
/** A limit that few values have, to compare with. */
const FEW_RULE = "account tag team";
const FEW = 10;
const LIMITS = { rpm: 1_000_000, tpm: null, concurrent: null, budget: null };
const PAGE = 50;
const BATCH = 100;
const BATCHES = 60;

/** Gives a new account so many values of a tag, and a hundredth more, and prints what they cost. */
export async function printTagValues(url: string, values: number): Promise<void> {
  const store = await openStore({ url, node_id: NODE });
  const customer = await newCustomer(
    { store, node_id: NODE, execute: unused, crash: unused, close: unused },
    1_000_000_000,
  );
  const { id } = customer.account;
  const more = values + Math.ceil(values / 100);
  const began_ms = performance.now();
  const bytes = await addValues(url, id, more);
  const each = `${(bytes / more).toFixed(0)} bytes each`;
  console.log(
    `\n${more} values of a tag in ${((performance.now() - began_ms) / 1000).toFixed(1)} s: ${(bytes / 1e6).toFixed(1)} MB, ${each}`,
  );
  const query = { account_id: id, rule: RULE, prefix: "", limit: PAGE, budget: null };
  const last = (await store.accounts.tagValues(query)).at(-1);
  const after = { spent_micro: last?.spent_micro ?? ZERO, value: last?.value ?? "" };
  console.log("first ms, again ms, question");
  for (const [name, ask] of [
    ["the largest values", () => store.accounts.tagValues(query)],
    ["the next page", () => store.accounts.tagValues({ ...query, after })],
    ["values that begin with a text", () => store.accounts.tagValues({ ...query, prefix: "customer-0000" })],
    ["how many there are", () => store.accounts.countTagValues(id, RULE, "")],
    ["one value", () => store.accounts.tagValue(query, nameOf(7))],
  ] as const)
    console.log(`${(await timed(ask)).padStart(8)} ${(await timed(ask)).padStart(8)}  ${name}`);
  await printCalls(customer, values);
  await printDropped(store);
  await store.ledger.leave(NODE);
  await store.close();
}

function nameOf(at: number): string {
  return `customer-${String(at).padStart(8, "0")}`;
}

async function timed(ask: () => Promise<unknown>): Promise<string> {
  const began_ms = performance.now();
  await ask();
  return (performance.now() - began_ms).toFixed(1);
}

const COLUMNS =
  "account_id, rule, value, open_count, held_micro, budget_micro, spent_window, spent_start_day, spent_micro, used_ms";

/** Writes the rows past the books. Resolves with what their table weighs. */
async function addValues(url: string, account_id: string, count: number): Promise<number> {
  const today = Math.floor(Date.now() / 86_400_000);
  const rows = (series: string, padded: string) =>
    `INSERT INTO limit_counts (${COLUMNS}) SELECT '${account_id}', '${RULE}', 'customer-' || ${padded}, 0, 0, 5000000, 'day', ${today},
      (CAST(n AS BIGINT) * 7919) % 4900000, ${Date.now()} - ${count} + n FROM ${series}`;
  if (url.startsWith("sqlite:")) {
    using database = new Database(url.slice("sqlite:".length), { readwrite: true });
    database.run("PRAGMA busy_timeout = 60000");
    database.run(
      `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${count})
        ${rows("numbers", "printf('%08d', n)")}`,
    );
    const weighed = database.query<{ bytes: number }, []>(
      "SELECT sum(pgsize) AS bytes FROM dbstat WHERE name LIKE '%limit_counts%'",
    );
    return weighed.get()?.bytes ?? 0;
  }
  const sql = new SQL(url, { max: 1 });
  await sql.unsafe("SET statement_timeout = 0");
  await sql.unsafe(rows(`generate_series(0, ${count - 1}) AS numbers (n)`, "lpad(n::text, 8, '0')"));
  await sql.unsafe("VACUUM (ANALYZE) limit_counts");
  const [weighed] = await sql.unsafe("SELECT pg_total_relation_size('limit_counts') AS bytes");
  await sql.close();
  return Number(weighed?.bytes ?? 0);
}

/** Requests of values that are drawn from all, in turn with those of a tag with few values. */
async function printCalls(customer: Customer, values: number): Promise<void> {
  const times = { many: [] as number[], few: [] as number[] };
  const before_bytes = process.memoryUsage.rss();
  for (let batch = 0; batch < 2 * BATCHES; batch += 1) {
    const is_many = batch % 2 === 0;
    const rule = is_many ? RULE : FEW_RULE;
    const began_ms = performance.now();
    await callAll(
      customer,
      Array.from({ length: BATCH }, (_, at): AppliedRule => {
        const drawn = (batch * BATCH + at) * 7919;
        return { rule, value: nameOf(drawn % (is_many ? values : FEW)), ...LIMITS };
      }),
    );
    times[is_many ? "many" : "few"].push(performance.now() - began_ms);
  }
  const each = (all: readonly number[]): string => {
    const median = all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
    return `${((1000 * median) / BATCH).toFixed(0)} µs`;
  };
  const grown = ((process.memoryUsage.rss() - before_bytes) / 1e6).toFixed(0);
  console.log(
    `${each(times.many)} a call with one of these values, ${each(times.few)} with one of ${FEW}; after ${2 * BATCHES * BATCH} calls the process has ${grown} MB more`,
  );
}

async function callAll(customer: Customer, rules: readonly AppliedRule[]): Promise<void> {
  const admissions = rules.map((rule) => customer.admitOp({ tag_rules: [rule] }));
  await customer.commit(...admissions);
  await customer.commit(...admissions.map(({ request_id }) => settleOp(request_id)));
}

/** Has what is beyond the kept values go, as retention does, but without its pauses. */
async function printDropped({ upkeep }: Awaited<ReturnType<typeof openStore>>): Promise<void> {
  const began_ms = performance.now();
  let [dropped, steps, longest_ms] = [0, 0, 0];
  for (let found = await upkeep.unneededTagValues(MOST_TAG_VALUES); found !== null; steps += 1) {
    const step_ms = performance.now();
    dropped += await upkeep.dropTagValues(found);
    longest_ms = Math.max(longest_ms, performance.now() - step_ms);
    found = await upkeep.unneededTagValues(MOST_TAG_VALUES);
  }
  const took_s = ((performance.now() - began_ms) / 1000).toFixed(1);
  console.log(
    `${dropped} values went in ${took_s} s and ${steps} steps, the longest of the writer's ${longest_ms.toFixed(0)} ms`,
  );
}

function unused(): Promise<never> {
  return Promise.reject(new Error("not in this process"));
}
