import { expect, test } from "bun:test";
import { SQL } from "bun";
import { freshDatabase } from "../../../proofs/support/postgres.ts";
import { migrate } from "../schema/migrate.ts";
import { runAwaited } from "../sql/work.ts";

/** The tables with rows of accounts that a call writes, and the column of each that has the account (docs/scale.md). */
const HOT: Readonly<Record<string, string>> = {
  accounts: "id",
  account_limits: "account_id",
  auto_top_ups: "account_id",
  entries: "account_id",
  usage_days: "account_id",
  idempotency: "account_id",
  stored_responses: "account_id",
  stored_items: "account_id",
  cached_answers: "account_id",
  cache_hours: "account_id",
  contents: "account_id",
  content_switches: "account_id",
  usage_tags: "account_id",
  request_tag_names: "account_id",
  request_tag_values: "account_id",
  projects: "account_id",
  usage_projects: "account_id",
  keys: "account_id",
  key_state: "key_account_id",
  requests_held: "account_id",
  requests_early: "account_id",
  requests_other: "account_id",
};

/** The columns of each table's key, in their order. */
const KEYS = `SELECT c.relname AS table_name,
    ARRAY(SELECT a.attname FROM unnest(i.indkey) WITH ORDINALITY AS k(no, place)
      JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.no ORDER BY place)::text[] AS columns
  FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid
  WHERE i.indisprimary AND c.relnamespace = 'public'::regnamespace`;

test("on PostgreSQL the key of every hot table begins with its account", async () => {
  await using sql = new SQL(await freshDatabase(), { max: 1 });
  await runAwaited(migrate("postgres"), ({ statement, params }) =>
    sql.unsafe(statement.postgres, [...params] as string[]),
  );
  const keys: { table_name: string; columns: string[] }[] = await sql.unsafe(KEYS);
  const hot = keys.filter(({ table_name }) => table_name in HOT);
  expect(Object.fromEntries(hot.map(({ table_name, columns }) => [table_name, columns[0]]))).toEqual(HOT);
});
