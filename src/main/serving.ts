import type { OperationsSettings } from "../core/catalog/catalog.ts";
import { weaknessOf } from "../core/strong-token.ts";
import { operationsSettings } from "./operations.ts";
import { type Environment, readSettings, type ServeOptions, SettingsError } from "./settings/settings.ts";
import { workerCount } from "./workers/worker-count.ts";

/** How `serve` would run. */
export interface Serving {
  readonly url: string;
  readonly workers: number;
  readonly operations_url: string | null;
}

/** The settings that `serve` reads from its options and variables, besides the configuration. Throws the SettingsError with which it would end. */
export function servingOf(options: ServeOptions, env: Environment, file: OperationsSettings | undefined): Serving {
  const { host, port } = readSettings(options, env);
  const operations = operationsSettings(env, file);
  const weakness = env.CAMINO_ADMIN_TOKEN === undefined ? null : weaknessOf(env.CAMINO_ADMIN_TOKEN);
  if (weakness !== null) throw new SettingsError(`CAMINO_ADMIN_TOKEN ${weakness}`);
  return {
    url: `http://${inUrl(host)}:${port}`,
    workers: workerCount(options, env),
    operations_url: operations.port === null ? null : `http://${inUrl(operations.host ?? host)}:${operations.port}`,
  };
}

function inUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
