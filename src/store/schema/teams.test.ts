import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { SQL } from "bun";
import { freshDatabase } from "../../../test/support/postgres.ts";
import { teamsMigration } from "./0021-teams.ts";
import { MIGRATIONS } from "./migrate.ts";

/** Users who were there before accounts had roles: the first of each account owns it, the others are members as they were. */

const USER = `INSERT INTO users (email, email_verified, name, role, email_key, id, status, account_id, created_ms)
  VALUES ('', 1, '', 'member', `;
const account = (id: string) => `INSERT INTO accounts (id, email, email_key, name, status, created_ms, balance_micro,
  held_micro, posted_micro) VALUES ('${id}', '${id}', '${id}', '', 'active', 1, 0, 0, 0)`;
const ROWS = [
  account("a"),
  account("b"),
  `${USER} '1', 'gone', 'disabled', 'a', 1)`,
  `${USER} '2', 'early', 'active', 'a', 2)`,
  `${USER} '3', 'late', 'active', 'a', 3)`,
  `${USER} '4', 'alone', 'disabled', 'b', 4)`,
];
const READ = `SELECT m.user_id, m.account_id, m.role, u.joined FROM memberships AS m JOIN users AS u ON u.id = m.user_id
  ORDER BY u.created_ms`;
const EXPECTED = [
  { user_id: "gone", account_id: "a", role: "member", joined: 1 },
  { user_id: "early", account_id: "a", role: "owner", joined: 1 },
  { user_id: "late", account_id: "a", role: "member", joined: 1 },
  { user_id: "alone", account_id: "b", role: "owner", joined: 1 },
];
const earlier = MIGRATIONS.filter(({ version }) => version < teamsMigration.version);

test("on SQLite", () => {
  using database = new Database(":memory:", { strict: true });
  const before = earlier.flatMap((migration) => migration.statements("sqlite"));
  for (const statement of [...before, ...ROWS, ...teamsMigration.statements("sqlite")]) database.run(statement);
  expect(database.query(READ).all()).toEqual(EXPECTED);
});

test("on PostgreSQL", async () => {
  const sql = new SQL(await freshDatabase(), { max: 1 });
  const before = earlier.flatMap((migration) => migration.statements("postgres"));
  for (const statement of [...before, ...ROWS, ...teamsMigration.statements("postgres")]) await sql.unsafe(statement);
  const found: { joined: unknown }[] = await sql.unsafe(READ);
  expect(found.map((row) => ({ ...row, joined: Number(row.joined) }))).toEqual(EXPECTED as never);
  await sql.close();
});
