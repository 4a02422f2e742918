import { Database } from "bun:sqlite";

/** Runs a statement, or a script that begins with BEGIN, on the file past its store. Returns the rows of a statement, none of a script. */
export function executeOnSqlite(path: string, sql: string): readonly unknown[] {
  using connection = new Database(path, { readwrite: true });
  connection.run("PRAGMA busy_timeout = 5000");
  if (!sql.startsWith("BEGIN")) return connection.prepare(sql).all();
  connection.run(sql);
  return [];
}
