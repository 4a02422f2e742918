import { chownSync, closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { readyBinaries, unprivileged } from "./postgres.ts";

/** A PostgreSQL of our own that can be stopped, crashed and started again on its data. */
export interface PostgresServer {
  readonly port: number;
  /** The server's own process, whose children are the processes that serve connections; null while it does not run. */
  pid(): number | null;
  /** What the server has logged since its cluster was made. */
  readonly log: string;
  start(): Promise<void>;
  /** Starts the server if it has ended, as one does that finds no room for its own recovery. */
  ensureRunning(): Promise<void>;
  /** Ends the server: `SIGINT` in good order, `SIGQUIT` at once, as after a crash. Resolves when it has ended. */
  end(signal: "SIGINT" | "SIGQUIT"): Promise<void>;
  remove(): Promise<void>;
}

export interface PostgresOptions {
  /** Settings as of `postgresql.conf`. What they leave out is PostgreSQL's own default: durable, as in production. */
  readonly settings: readonly string[];
  /** The size of a file of the write-ahead log; without it PostgreSQL's own. */
  readonly wal_segment_mb?: number;
  /** Added to the server's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Ends the server when its standard input ends, which the system sees to when the runner ends, and ends itself when the server has ended. */
const KEEPER = `exec 3<&0; "$@" </dev/null 3<&- & server=$!
{ read -r _ <&3; kill -INT $server 2>/dev/null; } & reader=$!
wait $server; status=$?; kill $reader 2>/dev/null; exit $status`;
const START_PATIENCE_MS = 30_000;
const END_PATIENCE_MS = 30_000;

/** Makes a database cluster in a folder, which must be empty but for its file system's own entries. */
export async function makePostgres(folder: string, options: PostgresOptions): Promise<PostgresServer> {
  const binaries = await readyBinaries();
  if (unprivileged !== null) chownSync(folder, unprivileged.uid, unprivileged.gid);
  const data = join(folder, "data");
  const arguments_of_initdb = [
    "--pgdata",
    data,
    "--username=postgres",
    "--auth=trust",
    "--locale=C",
    "--encoding=UTF8",
  ];
  const segment = options.wal_segment_mb === undefined ? [] : [`--wal-segsize=${options.wal_segment_mb}`];
  const made = Bun.spawnSync(
    [join(binaries, "bin/initdb"), ...arguments_of_initdb, "--no-sync", "--no-instructions", ...segment],
    { cwd: folder, ...unprivileged },
  );
  if (made.exitCode !== 0) throw new Error(`initdb failed: ${made.stderr.toString()}`);
  const port = freePort();
  // Without a socket in the file system, whose path may have 107 bytes at most.
  const settings = [...options.settings, "listen_addresses=127.0.0.1", "unix_socket_directories=", `port=${port}`];
  const command = [join(binaries, "bin/postgres"), "-D", data, ...settings.flatMap((each) => ["-c", each])];
  let keeper: Bun.Subprocess<"pipe", "ignore", number> | null = null;
  /** The process that was started last: the server's own file does not name it any more once it ends. */
  let started_pid: number | null = null;
  const log = join(folder, "server.log");

  const start = async (): Promise<void> => {
    const log_fd = openSync(log, "a");
    const before = Bun.file(log).size;
    keeper = Bun.spawn(["sh", "-c", KEEPER, "sh", ...command], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", ...options.env },
      stdin: "pipe",
      stdout: "ignore",
      stderr: log_fd,
      ...unprivileged,
    });
    closeSync(log_fd);
    const end_ms = performance.now() + START_PATIENCE_MS;
    for (;;) {
      const said = await Bun.file(log).slice(before).text();
      if (said.includes("ready to accept connections")) {
        started_pid = postmasterOf(data);
        return;
      }
      // FATAL is also what clients are told that come too early.
      if (keeper.exitCode !== null || performance.now() > end_ms) {
        await letGo();
        throw new Error(`PostgreSQL does not start:\n${said}`);
      }
      await Bun.sleep(20);
    }
  };

  const letGo = async (): Promise<void> => {
    const ending = keeper;
    keeper = null;
    ending?.stdin.end();
    if (ending === null || (await hasEnded(ending.exited))) return;
    // A library that moves the server's clock may keep it from its end, when all of its work is over.
    if (started_pid !== null && isRunning(started_pid)) process.kill(started_pid, "SIGKILL");
    await ending.exited;
  };

  return {
    port,
    log,
    pid: () => postmasterOf(data),
    start,
    ensureRunning: async () => {
      const pid = postmasterOf(data);
      if (pid !== null && isRunning(pid)) return;
      await letGo();
      await start();
    },
    end: async (signal) => {
      const pid = postmasterOf(data);
      if (pid !== null) process.kill(pid, signal);
      await letGo();
    },
    remove: letGo,
  };
}

/** Whether a process ends in time. */
function hasEnded(exited: Promise<unknown>): Promise<boolean> {
  return Promise.race([exited.then(() => true), Bun.sleep(END_PATIENCE_MS).then(() => false)]);
}

/** Whether a process runs, and is not one that has ended and was not waited for. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

function postmasterOf(data: string): number | null {
  try {
    return Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
  } catch {
    return null;
  }
}
