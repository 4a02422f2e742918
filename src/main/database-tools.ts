import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fingerprintOf } from "../access/sub-keys.ts";
import type { DatabaseTools, ServeOptions } from "../cli/shared/deps.ts";
import type { CellAddress } from "../core/catalog/cell-settings.ts";
import { systemClock } from "../core/clock.ts";
import type { Environment } from "../core/environment.ts";
import { incidentIn, placeOfIncident } from "../store/cells/incident-ids.ts";
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
import { readFileCells } from "./read-configuration.ts";
import { readCells } from "./settings/cells.ts";
import { DataDirectory, databaseUrl } from "./settings/data-directory.ts";
import { ownSecret, SECRET_FILE, secretPlace } from "./settings/own-secret.ts";
import { readSettings } from "./settings/settings.ts";

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
      const servers = await serversOf(options, env);
      for (const server of servers) await acceptSecretAt(server, fingerprint);
      if (servers.length === 0) acceptSecretOf((await fileOf(options, env, NO_DATABASE)).path, fingerprint);
      return secret_place;
    },
    async migrateStore({ from, to, data, replaceNul = false }, how) {
      const path = requireDirection(from, to);
      // The new database becomes the directory of the cells that are configured: it is none of them.
      await cellsOf({ database: to }, env);
      const { target, ...moved } = await moveStore({ from: path, to, replaces_nul: replaceNul, ...how });
      const beside = join(dirname(path), SECRET_FILE);
      const { data_path } = readSettings(data === undefined ? {} : { data }, env);
      const file = data === undefined && existsSync(beside) ? beside : join(data_path, SECRET_FILE);
      return { database: target, secret: secretPlace(env, file), ...moved };
    },
    async listIncidents(options) {
      const servers = await serversOf(options, env);
      if (servers.length === 0) return listIncidentsOf((await fileOf(options, env, NO_DATABASE)).path);
      const parts = await Promise.all(servers.map((server) => listIncidentsAt(server)));
      return parts.flatMap((part, cell) => part.map((incident) => incidentIn(cell, incident)));
    },
    async closeIncident(options, id, note) {
      const servers = await serversOf(options, env);
      if (servers.length === 0) return closeIncidentOf((await fileOf(options, env, NO_DATABASE)).path, id, BY, note);
      const place = placeOfIncident(id);
      const server = servers[place.cell];
      return server !== undefined && (await closeIncidentAt(server, place.id, BY, note));
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

/** The PostgreSQL databases that are meant, the directory of cells before them; none where the embedded database is. */
async function serversOf(options: Pick<ServeOptions, "database" | "data">, env: Environment): Promise<string[]> {
  const { database_url } = readSettings(options, env);
  if (database_url === null || !/^postgres(ql)?:\/\//.test(database_url)) return [];
  return [database_url, ...(await cellsOf(options, env)).map(({ url }) => url)];
}

async function cellsOf(
  options: Pick<ServeOptions, "database" | "data">,
  env: Environment,
): Promise<readonly CellAddress[]> {
  const { config_file, database_url } = readSettings(options, env);
  return readCells(env, database_url, await readFileCells(config_file, env))?.cells ?? [];
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
