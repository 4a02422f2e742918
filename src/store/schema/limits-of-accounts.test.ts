import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { SQL } from "bun";
import { freshDatabase } from "../../../test/support/postgres.ts";
import { limitsOfAccountsMigration } from "./0016-limits-of-accounts.ts";
import { MIGRATIONS } from "./migrate.ts";

/** Limits that stood before anybody wrote down who had set them count as an administrator's (docs/rulings.md 151). */

const KEY = `INSERT INTO keys (account_id, hint, aliases, prefix_aliases, created_ms, version, name, expires_ms,
  id, hash, status, models, rpm, budget_micro, budget_window, playground_user) VALUES ('a', '', '[]', '[]', 1, 1, '', 77, `;
const ROWS = [
  `INSERT INTO accounts (id, email, email_key, name, status, created_ms, balance_micro, held_micro, posted_micro)
    VALUES ('a', 'a@x', 'a@x', '', 'active', 1, 0, 0, 0)`,
  `${KEY} 'free', 'h1', 'active', NULL, NULL, NULL, NULL, NULL)`,
  `${KEY} 'limited', 'h2', 'disabled', '["acme/*"]', 30, 500, 'week', NULL)`,
  `${KEY} 'played', 'h3', 'active', NULL, NULL, NULL, NULL, 'user_1')`,
];
const READ = `SELECT id, ceiling_models AS models, ceiling_rpm AS rpm, ceiling_budget_micro AS budget,
  ceiling_budget_window AS period, ceiling_expires_ms AS expires, is_barred AS barred FROM keys ORDER BY id`;
const NONE = { models: null, rpm: null, budget: null, period: null, barred: 0 };
const EXPECTED = [
  { ...NONE, id: "free", expires: 77 },
  { id: "limited", models: '["acme/*"]', rpm: 30, budget: 500, period: "week", expires: 77, barred: 1 },
  // The gateway itself gives the playground's keys their end.
  { ...NONE, id: "played", expires: null },
];
const earlier = MIGRATIONS.filter(({ version }) => version < limitsOfAccountsMigration.version);

test("on SQLite", () => {
  using database = new Database(":memory:", { strict: true });
  const before = earlier.flatMap((migration) => migration.statements("sqlite"));
  for (const statement of [...before, ...ROWS, ...limitsOfAccountsMigration.statements("sqlite")])
    database.run(statement);
  expect(database.query(READ).all()).toEqual(EXPECTED);
  expect(database.query("SELECT has_limits FROM accounts").all()).toEqual([{ has_limits: 0 }]);
});

test("on PostgreSQL", async () => {
  const sql = new SQL(await freshDatabase(), { max: 1 });
  const before = earlier.flatMap((migration) => migration.statements("postgres"));
  for (const statement of [...before, ...ROWS, ...limitsOfAccountsMigration.statements("postgres")])
    await sql.unsafe(statement);
  const found: Record<string, unknown>[] = await sql.unsafe(READ);
  const numbers = (row: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, /^\d+$/.test(String(value)) ? Number(value) : value]),
    );
  expect(found.map(numbers)).toEqual(EXPECTED);
  await sql.close();
});
