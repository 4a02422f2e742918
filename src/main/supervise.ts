import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CliDeps, ServeOptions } from "../cli/shared/deps.ts";
import type { Environment } from "../core/environment.ts";
import { createLogs } from "../observe/log.ts";
import { announce } from "./introduce.ts";
import { adminToken } from "./settings/admin-token.ts";
import { DataDirectory, databaseUrl } from "./settings/data-directory.ts";
import { ownSecret } from "./settings/own-secret.ts";
import { logTarget, readSettings } from "./settings/settings.ts";
import { Supervisor } from "./workers/supervisor.ts";

const SQLITE = "sqlite:";

/**
 * Runs the gateway as several processes until the order to stop, and resolves when all of them have ended. They get
 * the environment `given`, without the contents of the files that it names.
 */
export async function supervise(
  options: ServeOptions,
  context: Pick<CliDeps, "env" | "version" | "stdout" | "stderr">,
  { workers, given }: { readonly workers: number; readonly given: Environment },
): Promise<void> {
  const settings = readSettings(options, context.env);
  const { log, flush } = createLogs(settings.log_level, logTarget(options));
  await using opened = new AsyncDisposableStack();
  opened.defer(flush);
  const data = await DataDirectory.open(settings.data_path);
  // Made here, so that the workers, which start at the same time, find them.
  await ownSecret(context.env, data);
  await adminToken(context.env, data);
  const url = databaseUrl(settings, data);
  const ledger = url.startsWith(SQLITE) ? { path: url.slice(SQLITE.length), socket: await makeSocket(opened) } : null;
  const { version } = context;
  const folder = import.meta.dir;
  const supervisor = new Supervisor({ folder, given: { options, env: given, version }, workers, ledger, log });
  opened.defer(() => {
    supervisor.stop();
    return supervisor.ended();
  });
  const stopped = Promise.withResolvers<string>();
  const stop = (signal: string): void => {
    supervisor.stop();
    stopped.resolve(signal);
  };
  // Signals are handled before the gateway announces itself.
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stop(signal));
  const started = await supervisor.open();
  process.on("SIGHUP", () => void supervisor.renew());
  if (started.banner !== null) announce(started.banner, options, context, { workers });
  log.info({ workers, url: started.banner?.url, database: started.banner?.database }, "listening");
  log.info({ signal: await stopped.promise }, "draining");
  await supervisor.ended();
  log.info("stopped");
}

/** The path of a socket that only this user reaches, as writing to it is writing to the ledger. Paths of sockets must be short. Throws a sentence where there is no room for it. */
async function makeSocket(opened: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "camino-ledger-")).catch((cause: unknown) => {
    const told = `Several workers need a temporary folder for the socket between them, and ${tmpdir()} cannot be written`;
    const why = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    throw new Error(`${told} (${why}). Make it writable, name another in TMPDIR, or start with --workers 1.`, {
      cause,
    });
  });
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "socket");
}
