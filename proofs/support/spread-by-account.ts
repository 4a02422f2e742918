import { join } from "node:path";

/** The statements of the file that makes the tables ready for an engine that spreads them by their account: nothing is unique by an id alone. */
export async function spreadingStatements(): Promise<string[]> {
  const file = join(import.meta.dir, "../../deploy/postgres/spread-by-account.sql");
  const statements = (await Bun.file(file).text()).replace(/^--.*$/gm, "").split(";");
  return statements.map((each) => each.trim()).filter((each) => !["", "BEGIN", "COMMIT"].includes(each));
}
