import type { DataDirectory } from "./data-directory.ts";
import type { Settings } from "./settings.ts";

/** The embedded database's file in the data directory. */
export const DATABASE_FILE = "camino.db";

/** The database's URL: as configured, otherwise a SQLite file in the data directory. */
export function databaseUrl(settings: Settings, data: DataDirectory): string {
  return settings.database_url ?? `sqlite:${data.file(DATABASE_FILE)}`;
}
