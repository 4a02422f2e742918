import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { unprivileged } from "../../support/postgres.ts";
import { makePostgres } from "../../support/postgres-server.ts";
import { treeCpuMs } from "../process-meter.ts";
import type { Setting } from "./lane.ts";

/** A PostgreSQL of a lane's own, as durable as in production: processes beside the gateway's, whose time is counted too. */
export interface OwnPostgres {
  /** Makes an empty database and resolves with its URL. */
  create(): Promise<string>;
  /** Runs a statement in a database, for which nobody waits within a lane's rounds. */
  run(url: string, statement: string): Promise<void>;
  /** Processor time so far of all of its processes. */
  cpuMs(): number;
}

/** PostgreSQL's defaults, but for connections: gateways and their lanes take more than a hundred. */
const SETTINGS = ["max_connections=200"];

/** Starts a server with a new cluster, which ends with `scope`. `settings` are added to the usual ones. */
export async function startPostgres(
  setting: Setting,
  scope: AsyncDisposableStack,
  settings: readonly string[] = [],
): Promise<OwnPostgres> {
  const folder = await folderFor(setting, scope);
  const server = await makePostgres(folder, { settings: [...SETTINGS, ...settings] });
  scope.defer(() => server.remove());
  await server.start();
  const base = `postgres://postgres@127.0.0.1:${server.port}`;
  let databases = 0;
  const run = async (url: string, statement: string): Promise<void> => {
    const sql = new SQL(url, { max: 1 });
    try {
      await sql.unsafe(statement);
    } finally {
      await sql.close();
    }
  };
  return {
    run,
    create: async () => {
      databases += 1;
      await run(`${base}/postgres`, `CREATE DATABASE bench_${databases}`);
      return `${base}/bench_${databases}`;
    },
    cpuMs: () => treeCpuMs(server.pid() ?? 0),
  };
}

/**
 * A folder for the cluster, on the disk that SQLite's file is on. PostgreSQL does not run as root: where the user that it runs as
 * may not enter the project's folder, the cluster is in the system's folder for temporary files.
 */
async function folderFor(setting: Setting, scope: AsyncDisposableStack): Promise<string> {
  const prefix = "postgres-";
  const folder = await mkdtemp(join(setting.folder, prefix));
  if (unprivileged === null) return folder;
  await chmod(folder, 0o755);
  if (Bun.spawnSync(["test", "-x", folder], { cwd: "/", ...unprivileged }).exitCode === 0) return folder;
  const other = await mkdtemp(join(tmpdir(), `camino-bench-${prefix}`));
  scope.defer(() => rm(other, { recursive: true, force: true }));
  setting.say(`PostgreSQL's files are in ${other}: its user may not enter ${setting.folder}`);
  return other;
}
