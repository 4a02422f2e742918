import { DataDirectory } from "./data-directory.ts";
import { databaseUrl } from "./database-url.ts";
import { type Environment, readSettings, type ServeOptions } from "./settings.ts";
import type { DatabaseTools } from "../cli/deps.ts";
import { acceptLoss } from "../store/sqlite/accept-loss.ts";
import { backUp } from "../store/sqlite/back-up.ts";
import { closeIncidentOf, listIncidentsOf } from "../store/sqlite/incidents-of-file.ts";
import { restore } from "../store/sqlite/restore.ts";

/** What is done with the database's file itself, past a gateway (docs/adr/0023). */
export function databaseTools(env: Environment): DatabaseTools {
  return {
    async backUp(options, file, onProgress) {
      const { path, secret } = await fileOf(options, env, BACK_UP_POSTGRES);
      const { bytes, accounts, problems } = await backUp(path, file, onProgress);
      return { database: path, secret, bytes, accounts, problems };
    },
    async restore(options, file, { replace, onProgress }) {
      const { path, secret } = await fileOf(options, env, RESTORE_POSTGRES);
      const { moved, accounts, problems } = await restore(file, path, { replace, onProgress });
      return { database: path, secret, moved, accounts, problems };
    },
    async acceptLoss(options) {
      const { path } = await fileOf(options, env, "PostgreSQL has no anchor: there is nothing to accept.");
      return acceptLoss(path);
    },
    async listIncidents(options) {
      return listIncidentsOf((await fileOf(options, env, NO_INCIDENTS)).path);
    },
    async closeIncident(options, id, note) {
      return closeIncidentOf((await fileOf(options, env, NO_INCIDENTS)).path, id, "command line", note);
    },
  };
}

const NO_INCIDENTS = "Incidents are kept of the embedded database; this one is PostgreSQL.";
const BACK_UP_POSTGRES =
  "This command copies the embedded database. For PostgreSQL, use `pg_dump --format=custom --file=FILE URL`, or " +
  "pg_basebackup with an archive of the write-ahead log.";
const RESTORE_POSTGRES =
  "This command puts the embedded database back. For PostgreSQL, stop all gateways and use `pg_restore --clean " +
  "--if-exists --dbname=URL FILE` on what pg_dump made, or recover what pg_basebackup made.";

/** The embedded database's file, and where the secret is that its keys need. */
async function fileOf(
  options: Pick<ServeOptions, "database" | "data">,
  env: Environment,
  otherwise: string,
): Promise<{ path: string; secret: string }> {
  const settings = readSettings(options, env);
  const data = await DataDirectory.open(settings.data_path);
  const url = databaseUrl(settings, data);
  if (!url.startsWith("sqlite:")) throw new Error(otherwise);
  const secret = env.CAMINO_SECRET === undefined ? data.file("secret") : whereSecretIs(env);
  return { path: url.slice("sqlite:".length), secret };
}

function whereSecretIs({ CAMINO_SECRET_FILE: file }: Environment): string {
  return file ? `the file ${file}` : "the variable CAMINO_SECRET";
}
