import { join } from "node:path";
import type { Configuration } from "../core/catalog/catalog.ts";
import type { Books } from "../core/store/books.ts";
import { openBooks } from "../store/open-books.ts";
import { openConfiguration } from "./read-configuration.ts";
import { type Serving, servingOf } from "./serving.ts";
import { DATABASE_FILE } from "./settings/database-url.ts";
import { type Environment, readSettings, type ServeOptions } from "./settings/settings.ts";

export interface FoundConfiguration {
  readonly configuration: Configuration;
  /** The environment that it was read with. */
  readonly env: Environment;
  readonly file: string | null;
  readonly first_run: boolean;
  readonly serving: () => Serving;
  readonly close: () => Promise<void>;
}

/** The configuration that `serve` would use, for commands that change nothing. */
export async function findConfiguration(options: ServeOptions, env: Environment): Promise<FoundConfiguration> {
  const settings = readSettings(options, env);
  const opened = new AsyncDisposableStack();
  const { loaded, first_run } = await openConfiguration(settings, env, opened).catch(async (thrown: unknown) => {
    await opened.disposeAsync();
    throw thrown;
  });
  return {
    configuration: loaded.configuration,
    env: loaded.env,
    first_run,
    serving: () => servingOf(options, env, loaded.configuration.operations),
    file: settings.config_file,
    close: () => opened.disposeAsync(),
  };
}

/** The database that `serve` would open, for reading alone; null where there is none yet. Makes no folder and no file. */
export async function openBooksFor(options: ServeOptions, env: Environment): Promise<Books | null> {
  const { database_url, data_path } = readSettings(options, env);
  return await openBooks(database_url ?? `sqlite:${join(data_path, DATABASE_FILE)}`);
}
