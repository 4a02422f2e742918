import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { freshDatabase } from "../../../proofs/support/postgres.ts";
import { spreadingStatements } from "../../../proofs/support/spread-by-account.ts";
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

/** Unique indices of a table: the key first, each with its columns in their order. */
const UNIQUE = `SELECT c.relname AS table_name, i.indisprimary AS is_key,
    array_to_string(ARRAY(SELECT a.attname FROM unnest(i.indkey) WITH ORDINALITY AS k(no, place)
      JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.no ORDER BY place), ' ') AS columns
  FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid
  WHERE i.indisunique AND c.relnamespace = 'public'::regnamespace ORDER BY c.relname, i.indisprimary DESC`;

interface UniqueIndex {
  readonly table_name: string;
  readonly is_key: boolean;
  readonly columns: string;
}

describe("on PostgreSQL", () => {
  let sql: SQL | null = null;
  const unique = async (): Promise<UniqueIndex[]> => {
    const found: UniqueIndex[] = (await sql?.unsafe(UNIQUE)) ?? [];
    return found.filter(({ table_name }) => table_name in HOT);
  };

  beforeAll(async () => {
    const opened = new SQL(await freshDatabase(), { max: 1 });
    sql = opened;
    await runAwaited(migrate("postgres"), ({ statement, params }) =>
      opened.unsafe(statement.postgres, [...params] as string[]),
    );
  });
  afterAll(() => sql?.close());

  test("the key of every hot table begins with its account", async () => {
    const keys = (await unique()).filter(({ is_key }) => is_key);
    const first = keys.map(({ table_name, columns }) => [table_name, columns.split(" ")[0]]);
    expect(Object.fromEntries(first)).toEqual(HOT);
  });

  test("nothing is unique without its account where the tables are made ready to be spread, but an account's address", async () => {
    for (const statement of await spreadingStatements()) await sql?.unsafe(statement);
    const without = (await unique()).filter(
      ({ table_name, columns }) => !columns.split(" ").includes(HOT[table_name] ?? ""),
    );
    expect(without).toEqual([{ table_name: "accounts", is_key: false, columns: "email_key" }]);
  });
});
