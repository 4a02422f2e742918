import { availableParallelism } from "node:os";
import type { ServeOptions } from "../../cli/shared/deps.ts";
import type { Environment } from "../../core/environment.ts";
import { SettingsError } from "../settings/settings.ts";

const MOST_WORKERS = 64;
const ALLOWED = `a whole number from 1 to ${MOST_WORKERS}, or auto (one for each core)`;

/**
 * How many processes serve: the flag's, else the environment's, else one. Throws a SettingsError for an impossible number, and where the
 * system does not share a port among processes.
 */
export function workerCount(
  options: Pick<ServeOptions, "workers">,
  env: Environment,
  platform: string = process.platform,
): number {
  const said = options.workers ?? env.CAMINO_WORKERS;
  if (said === undefined) return 1;
  const name = options.workers === undefined ? "CAMINO_WORKERS" : "--workers";
  const count = said === "auto" ? Math.min(MOST_WORKERS, availableParallelism()) : Number(said);
  if (said !== "auto" && (!/^\d{1,3}$/.test(said) || count < 1 || count > MOST_WORKERS))
    throw new SettingsError(`${name} is ${JSON.stringify(said)}; allowed: ${ALLOWED}.`);
  if (count > 1 && platform !== "linux") {
    if (said === "auto") return 1;
    throw new SettingsError(
      `${name} is ${count}, but only Linux spreads the connections to one port over processes; allowed here: 1.`,
    );
  }
  return count;
}
