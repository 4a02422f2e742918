import { Database } from "bun:sqlite";
import { afterEach, expect, setSystemTime, test } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import { freshDatabase } from "../../../proofs/support/postgres.ts";
import type { Dialect } from "../sql/statement.ts";
import { runAwaited, runNow } from "../sql/work.ts";
import { migrate } from "./migrate.ts";

/**
 * The schema that the migrations produce, as text under version control, so that a change of the schema shows in the
 * diff. An applied migration is never edited; add a new migration, and put the text that the failing test shows into
 * the golden file.
 */
async function expectGolden(dialect: Dialect, schema: string): Promise<void> {
  const golden = Bun.file(join(import.meta.dir, "golden", `${dialect}.txt`));
  expect(schema).toBe(await golden.text());
}

test("the migrations produce the schema of golden/sqlite.txt", async () => {
  using database = new Database(":memory:", { strict: true });
  runNow(migrate("sqlite"), ({ statement, params }) => database.prepare(statement.sqlite).all(...(params as string[])));
  const objects = database.query("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name").all();
  await expectGolden("sqlite", objects.map((each) => `${(each as { sql: string }).sql};\n`).join(""));
});

const POSTGRES_SCHEMA = `
  SELECT 'column ' || table_name || '.' || column_name || ' ' || data_type || coalesce(' collate ' || collation_name, '')
      || CASE is_nullable WHEN 'NO' THEN ' not null' ELSE '' END || coalesce(' default ' || column_default, '')
      || CASE is_identity WHEN 'YES' THEN ' identity' ELSE '' END AS line
    FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL SELECT 'constraint ' || conrelid::regclass || ' ' || pg_get_constraintdef(oid)
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
  UNION ALL SELECT 'index ' || indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT 'trigger ' || pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT 'function ' || pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  ORDER BY 1`;

test("the migrations produce the schema of golden/postgres.txt", async () => {
  const sql = new SQL(await freshDatabase(), { max: 1 });
  await runAwaited(migrate("postgres"), ({ statement, params }) => sql.unsafe(statement.postgres, [...params]));
  const lines: { line: string }[] = await sql.unsafe(POSTGRES_SCHEMA);
  await sql.close();
  await expectGolden("postgres", lines.map(({ line }) => `${line}\n`).join(""));
});

afterEach(() => {
  setSystemTime();
});

test("a database that was made in one month is opened in every other", async () => {
  const sql = new SQL(await freshDatabase(), { max: 1 });
  using database = new Database(":memory:", { strict: true });
  for (const time of ["2026-11-28", "2026-12-01", "2027-03-01"]) {
    setSystemTime(new Date(time));
    runNow(migrate("sqlite"), ({ statement, params }) =>
      database.prepare(statement.sqlite).all(...(params as string[])),
    );
    await runAwaited(migrate("postgres"), ({ statement, params }) => sql.unsafe(statement.postgres, [...params]));
  }
  await sql.close();
});
