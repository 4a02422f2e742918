import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fingerprintOf } from "../access/sub-keys.ts";
import type { DatabaseTools } from "../cli/shared/deps.ts";
import { systemClock } from "../core/clock.ts";
import { moveStore } from "../store/move/move-store.ts";
import { acceptSecretAt, closeIncidentAt, listIncidentsAt } from "../store/postgres/own-connection.ts";
import { backUp } from "../store/sqlite/back-up.ts";
import {
  acceptLoss,
  acceptSecretOf,
  closeIncidentOf,
  listIncidentsOf,
  noteBackUp,
} from "../store/sqlite/incidents-of-file.ts";
import { restore } from "../store/sqlite/restore.ts";
import { DataDirectory } from "./settings/data-directory.ts";
import { databaseUrl } from "./settings/database-url.ts";
import { ownSecret, SECRET_FILE, secretPlace } from "./settings/own-secret.ts";
import { type Environment, readSettings, type ServeOptions } from "./settings/settings.ts";

/** Tools for the database's file itself, past a gateway (docs/adr/0023). */
export function databaseTools(env: Environment): DatabaseTools {
  return {
    async backUp(options, file, onProgress) {
      const { path, secret } = await fileOf(options, env, BACK_UP_POSTGRES);
      const { bytes, accounts, problems } = await backUp(path, file, onProgress);
      noteBackUp(path, systemClock.now_ms());
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
    async acceptSecret(options) {
      const data = await DataDirectory.open(readSettings(options, env).data_path);
      const { secret, secret_place } = await ownSecret(env, data);
      const fingerprint = fingerprintOf(secret);
      const server = serverOf(options, env);
      if (server !== null) await acceptSecretAt(server, fingerprint);
      else acceptSecretOf((await fileOf(options, env, NO_DATABASE)).path, fingerprint);
      return secret_place;
    },
    async migrateStore({ from, to, data, replaceNul = false }, how) {
      const path = requireDirection(from, to);
      const { target, ...moved } = await moveStore({ from: path, to, replaces_nul: replaceNul, ...how });
      const beside = join(dirname(path), SECRET_FILE);
      const { data_path } = readSettings({ data }, env);
      const file = data === undefined && existsSync(beside) ? beside : join(data_path, SECRET_FILE);
      return { database: target, secret: secretPlace(env, file), ...moved };
    },
    async listIncidents(options) {
      const server = serverOf(options, env);
      return server === null
        ? listIncidentsOf((await fileOf(options, env, NO_DATABASE)).path)
        : await listIncidentsAt(server);
    },
    async closeIncident(options, id, note) {
      const server = serverOf(options, env);
      return server === null
        ? closeIncidentOf((await fileOf(options, env, NO_DATABASE)).path, id, BY, note)
        : await closeIncidentAt(server, id, BY, note);
    },
  };
}

const BY = "command line";
const NO_DATABASE = 'The database URL must begin with "sqlite:" or "postgres://".';
const BACK_UP_POSTGRES =
  "This command copies the embedded database. For PostgreSQL, use `pg_dump --format=custom --file=FILE URL`, or " +
  "pg_basebackup with an archive of the write-ahead log.";
const RESTORE_POSTGRES =
  "This command puts the embedded database back. For PostgreSQL, stop all gateways and use `pg_restore --clean " +
  "--if-exists --dbname=URL FILE` on what pg_dump made, or recover what pg_basebackup made.";

/** The PostgreSQL database that is meant; null where another is. */
function serverOf(options: Pick<ServeOptions, "database" | "data">, env: Environment): string | null {
  const { database_url } = readSettings(options, env);
  return database_url !== null && /^postgres(ql)?:\/\//.test(database_url) ? database_url : null;
}

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
  return { path: url.slice("sqlite:".length), secret: secretPlace(env, data.file(SECRET_FILE)) };
}

/** The file that is moved. Throws for every other direction. */
function requireDirection(from: string, to: string): string {
  const [is_file, is_server] = [from.startsWith("sqlite:"), /^postgres(ql)?:\/\//.test(to)];
  if (is_file && is_server) return from.slice("sqlite:".length);
  if (is_file && to.startsWith("sqlite:")) {
    throw new Error("To copy the embedded database into another file, use `camino backup` and `camino restore`.");
  }
  if (/^postgres(ql)?:\/\//.test(from)) {
    throw new Error(
      "This command moves the embedded database to PostgreSQL, and nothing moves back. To copy a PostgreSQL database, use pg_dump and pg_restore.",
    );
  }
  throw new Error('--from must begin with "sqlite:", and --to with "postgres://".');
}
