import type { DataDirectory } from "./data-directory.ts";
import type { Settings } from "./settings.ts";

/** The database's URL: as configured, otherwise a SQLite file in the data directory. */
export function databaseUrl(settings: Settings, data: DataDirectory): string {
  return settings.database_url ?? `sqlite:${data.file("camino.db")}`;
}
