import { Database } from "bun:sqlite";
import { SQL } from "bun";

/** What a table or an index weighs on the disk. */
interface Weight {
  readonly name: string;
  readonly bytes: number;
}

/** What one column weighs in an average row. */
interface ColumnWeight {
  readonly name: string;
  readonly bytes: number;
}

interface Weights {
  readonly requests: number;
  readonly parts: readonly Weight[];
  readonly columns: ReadonlyMap<string, readonly ColumnWeight[]>;
}

const TABLES = ["requests", "entries"] as const;
/** The newest rows stand for all. */
const SAMPLE = 20_000;
const SHOWN_FROM_BYTES = 100_000;

/** Prints what a database weighs: tables and indices with their bytes for each request, and the share of each column. */
export async function printWeights(url: string): Promise<void> {
  const { requests, parts, columns } = await (url.startsWith("sqlite:")
    ? weighSqlite(url.slice("sqlite:".length))
    : weighPostgres(url));
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const perRequest = (bytes: number): string => (requests === 0 ? "-" : (bytes / requests).toFixed(1));
  console.log(`\n${requests} requests: ${megabytes(total)} MB in all, ${perRequest(total)} bytes a request`);
  for (const { name, bytes } of parts.toSorted((a, b) => b.bytes - a.bytes)) {
    if (bytes < SHOWN_FROM_BYTES) continue;
    const share = ((100 * bytes) / total).toFixed(1);
    console.log(
      `${megabytes(bytes).padStart(9)} MB ${perRequest(bytes).padStart(7)} a request ${share.padStart(5)} %  ${name}`,
    );
  }
  for (const [table, found] of columns) {
    console.log(`\nbytes of each column in an average row of ${table}`);
    const heavy = found.filter(({ bytes }) => bytes >= 0.05).toSorted((a, b) => b.bytes - a.bytes);
    console.log(heavy.map(({ name, bytes }) => `${name} ${bytes.toFixed(1)}`).join(", "));
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}

async function weighSqlite(path: string): Promise<Weights> {
  using database = new Database(path, { readonly: true });
  const all = <Row>(text: string): Row[] => database.query<Row, []>(text).all();
  const parts = all<Weight>("SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name");
  const [counted] = all<{ requests: number }>("SELECT count(*) AS requests FROM requests");
  const columns = new Map<string, ColumnWeight[]>();
  for (const table of TABLES) {
    const names = all<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`);
    const order = table === "requests" ? "seq" : "created_ms";
    const sums = names.map(({ name }) => `avg(${sqliteBytes(name)}) AS "${name}"`).join(", ");
    const [sum] = all<Record<string, number>>(
      `SELECT ${sums} FROM (SELECT * FROM ${table} ORDER BY ${order} DESC LIMIT ${SAMPLE})`,
    );
    columns.set(
      table,
      Object.entries(sum ?? {}).map(([name, bytes]) => ({ name, bytes })),
    );
  }
  return { requests: counted?.requests ?? 0, parts, columns };
}

/** The bytes of a value in SQLite's record format, with its one byte in the row's head. */
function sqliteBytes(name: string): string {
  const integer = [
    ...[`WHEN "${name}" IN (0, 1) THEN 0`, `WHEN abs("${name}") < 128 THEN 1`, `WHEN abs("${name}") < 32768 THEN 2`],
    ...[`WHEN abs("${name}") < 8388608 THEN 3`, `WHEN abs("${name}") < 2147483648 THEN 4`],
    `WHEN abs("${name}") < 140737488355328 THEN 6`,
  ].join(" ");
  return `1 + CASE WHEN "${name}" IS NULL THEN 0 WHEN typeof("${name}") = 'integer' THEN CASE ${integer} ELSE 8 END
    ELSE length(CAST("${name}" AS BLOB)) END`;
}

async function weighPostgres(url: string): Promise<Weights> {
  const sql = new SQL(url, { max: 1 });
  try {
    const parts: { name: string; bytes: string }[] = await sql.unsafe(
      `SELECT CASE c.relkind WHEN 'i' THEN c.relname || ' on ' || i.indrelid::regclass WHEN 't' THEN 'toast ' || c.relname
          ELSE c.relname END AS name, pg_relation_size(c.oid) + CASE WHEN c.relkind = 'i' THEN 0
          ELSE pg_relation_size(c.oid, 'fsm') + pg_relation_size(c.oid, 'vm') END AS bytes
        FROM pg_class AS c LEFT JOIN pg_index AS i ON i.indexrelid = c.oid
        WHERE c.relkind IN ('r', 'i', 't') AND (c.relnamespace = current_schema()::regnamespace
          OR c.oid IN (SELECT reltoastrelid FROM pg_class WHERE relnamespace = current_schema()::regnamespace))`,
    );
    const [counted]: { requests: string }[] = await sql.unsafe("SELECT count(*) AS requests FROM requests");
    const columns = new Map<string, ColumnWeight[]>();
    for (const table of TABLES) {
      const names: { name: string }[] = await sql.unsafe(
        `SELECT attname AS name FROM pg_attribute WHERE attrelid = '${table}'::regclass AND attnum > 0 AND NOT attisdropped`,
      );
      const sums = names.map(({ name }) => `avg(coalesce(pg_column_size("${name}"), 0)) AS "${name}"`).join(", ");
      const [sum]: Record<string, string>[] = await sql.unsafe(
        `SELECT ${sums} FROM (SELECT * FROM ${table} LIMIT ${SAMPLE}) AS sample`,
      );
      columns.set(
        table,
        Object.entries(sum ?? {}).map(([name, bytes]) => ({ name, bytes: Number(bytes) })),
      );
    }
    return {
      requests: Number(counted?.requests ?? 0),
      parts: parts.map(({ name, bytes }) => ({ name, bytes: Number(bytes) })),
      columns,
    };
  } finally {
    await sql.close();
  }
}
