import { SQL } from "bun";
import { MIGRATIONS } from "../../../../src/store/schema/migrate.ts";
import type { Dialect } from "../../../../src/store/sql/statement.ts";

/**
 * A PostgreSQL database as the statements that make it: its version's own for the schema, and its rows. `pg_dump` does not come with the
 * server of the tests.
 */

/** Statements are separated by a line that no statement has. */
const END = "\n-- end of a statement\n";

const TABLES = `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`;
/** How far each sequence has counted; one that was never asked has no value. */
const SEQUENCES = `SELECT sequencename AS name, last_value FROM pg_sequences
  WHERE schemaname = 'public' AND last_value IS NOT NULL ORDER BY 1`;

/** The statements of a database at this URL, which no gateway writes to. */
export async function statementsOf(url: string): Promise<string> {
  const sql = new SQL(url, { max: 1 });
  try {
    const dialect: Dialect = "postgres";
    const made = MIGRATIONS.flatMap((migration) => migration.statements(dialect, Date.now()));
    // In what order rows are put back is nobody's concern: what checks it is off meanwhile.
    const lines = ["SET session_replication_role = replica"];
    for (const { name } of (await sql.unsafe(TABLES)) as { name: string }[]) {
      if (name === "schema_migrations") made.unshift(await createMigrations(sql));
      const inserts = (await sql.unsafe(
        `SELECT row_to_json(t)::text AS row FROM public.${name} t ORDER BY t::text COLLATE "C"`,
      )) as { row: string }[];
      const quoted = inserts.map(({ row }) => `'${row.replaceAll("'", "''")}'`);
      for (const row of quoted)
        lines.push(
          `INSERT INTO ${name} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_record(NULL::${name}, ${row}::json)`,
        );
    }
    for (const { name, last_value } of (await sql.unsafe(SEQUENCES)) as { name: string; last_value: string }[])
      lines.push(`SELECT setval('${name}', ${last_value})`);
    return [...made, ...lines, "SET session_replication_role = DEFAULT"].join(END);
  } finally {
    await sql.close();
  }
}

/** The table of the applied migrations, which no migration makes. */
async function createMigrations(sql: SQL): Promise<string> {
  const columns = (await sql.unsafe(`SELECT column_name AS name, data_type AS type FROM information_schema.columns
    WHERE table_schema = 'public' AND table_name = 'schema_migrations' ORDER BY ordinal_position`)) as {
    name: string;
    type: string;
  }[];
  const parts = columns.map(({ name, type }) => `${name} ${type} NOT NULL${name === "version" ? " PRIMARY KEY" : ""}`);
  return `CREATE TABLE schema_migrations (${parts.join(", ")})`;
}

/** Makes the database again, in an empty one. */
export async function makeAgain(url: string, statements: string): Promise<void> {
  const sql = new SQL(url, { max: 1 });
  try {
    for (const statement of statements.split(END)) await sql.unsafe(statement);
  } finally {
    await sql.close();
  }
}
