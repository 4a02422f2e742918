import { configurationChanges, isUnchanged } from "../catalog/configuration/configuration-changes.ts";
import type { ServeOptions } from "../cli/shared/deps.ts";
import type { Reloaded } from "../console-api/answer/administration.ts";
import type { Environment } from "../core/environment.ts";
import { ALONE, type WorkerGroup } from "../core/worker-group.ts";
import type { Log } from "../observe/log.ts";
import type { ConfigurationElements } from "../pipeline/configuration/configuration-elements.ts";
import type { BuiltInSimulator } from "./built-in-simulator.ts";
import { readConfiguration } from "./read-configuration.ts";
import { readSettings, SettingsError } from "./settings/settings.ts";

interface ReloadParts {
  readonly options: ServeOptions;
  readonly env: Environment;
  readonly simulator: BuiltInSimulator;
  readonly elements: ConfigurationElements;
  readonly log: Pick<Log, "info" | "warn" | "error">;
}

/**
 * Reads the configuration file again and puts it in force: a request that has begun keeps the configuration that it began with. Throws
 * a ConfigurationError or a SettingsError with the faults of the file; the running configuration then stays in force.
 */
async function reload({ options, env, simulator, elements, log }: ReloadParts): Promise<Reloaded> {
  const { config_file } = readSettings(options, env);
  const { loaded } = await readConfiguration({ config_file }, env, simulator);
  requireCurrency(elements.vendors.current.currency, loaded.configuration.currency);
  const { before, after, after_restart, left_out } = await elements.replaceFile(loaded);
  const changes = configurationChanges(before, after);
  log.info({ file: config_file, ...changes, unchanged: isUnchanged(changes) }, "the configuration was read again");
  if (after_restart.length > 0) log.warn({ sections: after_restart }, "these sections take effect after a restart");
  return { file: config_file, ...changes, after_restart, left_out };
}

/**
 * A reload of this process and the gateway's others: they reload when this one found no fault. Reloads follow each other, so
 * that an older file never replaces a newer one. A gateway that is one process also reloads on SIGHUP.
 */
export function openReload(parts: ReloadParts, link: WorkerGroup | null): () => Promise<Reloaded> {
  const workers = link ?? ALONE;
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = (): Promise<Reloaded> => {
    const reloaded = turn.then(() => reload(parts));
    turn = reloaded.catch(() => {});
    return reloaded;
  };
  workers.hear("configuration", () => {
    inTurn().catch((thrown: unknown) => parts.log.warn({ err: thrown }, "the configuration was not read again"));
  });
  if (link === null) onHangUp(inTurn, parts.log);
  return async () => {
    const reloaded = await inTurn();
    workers.tell("configuration", "file");
    return reloaded;
  };
}

/**
 * Has SIGHUP read the configuration again. For a gateway in the foreground of a terminal the signal says that the terminal was closed, and
 * the gateway drains as for SIGTERM: `camino reload` works there as everywhere.
 */
function onHangUp(reloadHere: () => Promise<unknown>, log: Pick<Log, "error">): void {
  if (process.stdin.isTTY) {
    process.on("SIGHUP", () => process.emit("SIGTERM"));
    return;
  }
  process.on("SIGHUP", () => {
    reloadHere().catch((thrown: unknown) => {
      log.error({ err: thrown }, "the configuration was not reloaded: the earlier one stays in effect");
    });
  });
}

/** Balances are in the currency in which the gateway has billed so far. */
function requireCurrency(running: string, read: string): void {
  if (running === read) return;
  throw new SettingsError(
    `The configuration says currency: ${read}, and the gateway runs with ${running}. A currency does not change while the gateway runs: the balances would mean something else.`,
  );
}
