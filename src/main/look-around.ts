import type { Configuration } from "../core/catalog.ts";
import { newId } from "../core/ids.ts";
import type { Store } from "../core/ports.ts";
import { openStore } from "../store/open-store.ts";
import { databaseUrl } from "./database-url.ts";
import { DataDirectory } from "./data-directory.ts";
import { readConfiguration } from "./read-configuration.ts";
import { type Environment, readSettings, type ServeOptions } from "./settings.ts";

export interface FoundConfiguration {
  readonly configuration: Configuration;
  readonly file: string | null;
  readonly first_run: boolean;
  readonly close: () => Promise<void>;
}

/** The configuration that `serve` would use, for commands that change nothing. */
export async function findConfiguration(options: ServeOptions, env: Environment): Promise<FoundConfiguration> {
  const settings = readSettings(options, env);
  const { loaded, first_run, simulator } = await readConfiguration(settings, env);
  return {
    configuration: loaded.configuration,
    first_run,
    file: settings.config_file,
    close: async () => simulator?.stop(),
  };
}

/** The database that `serve` would open, for commands that change nothing. */
export async function openStoreFor(options: ServeOptions, env: Environment): Promise<Store> {
  const settings = readSettings(options, env);
  const data = await DataDirectory.open(settings.data_path);
  return await openStore({ url: databaseUrl(settings, data), node_id: newId("node") });
}
