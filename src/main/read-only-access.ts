import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fingerprintOf } from "../access/sub-keys.ts";
import type { CellShare, FoundConfiguration, ServeOptions, Serving } from "../cli/shared/deps.ts";
import type { CellSettings } from "../core/catalog/cell-settings.ts";
import type { OperationsSettings } from "../core/catalog/operations-settings.ts";
import type { Environment } from "../core/environment.ts";
import type { Books, DatabaseFacts } from "../core/store/books.ts";
import { DIRECTORY } from "../core/store/cells.ts";
import { weaknessOf } from "../core/strong-token.ts";
import { openBooks } from "../store/open-books.ts";
import { operationsSettings } from "./operations.ts";
import { openConfiguration, readFileCells } from "./read-configuration.ts";
import { readCells } from "./settings/cells.ts";
import { DATABASE_FILE } from "./settings/data-directory.ts";
import { anotherSecret, SECRET_FILE, secretPlace, WHAT_TO_DO } from "./settings/own-secret.ts";
import { readSettings, SettingsError } from "./settings/settings.ts";
import { workerCount } from "./workers/worker-count.ts";

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
    cells: () => sharesOf(readCells(env, settings.database_url, loaded.configuration.cells)),
    file: settings.config_file,
    close: () => opened.disposeAsync(),
  };
}

/** The database that `serve` would open, for reading alone; null where there is none yet. Makes no folder and no file. */
export async function openBooksFor(options: ServeOptions, env: Environment): Promise<Books | null> {
  const { config_file, database_url, data_path } = readSettings(options, env);
  const cells = readCells(env, database_url, await readFileCells(config_file, env))?.cells ?? [];
  const books = await openBooks(database_url ?? `sqlite:${join(data_path, DATABASE_FILE)}`, cells);
  if (books === null) return null;
  const { description } = books;
  return {
    ...books,
    async facts() {
      const facts = await books.facts();
      const wrong = await wrongSecret({ ...facts, description }, env, join(data_path, SECRET_FILE));
      return wrong === null ? facts : { ...facts, lacks: [...facts.lacks, wrong] };
    },
  };
}

function sharesOf(settings: CellSettings | null): CellShare[] {
  if (settings === null) return [];
  const { directory_weight, cells } = settings;
  return [{ name: DIRECTORY, weight: directory_weight }, ...cells.map(({ name, weight }) => ({ name, weight }))];
}

/** What a start would say of the secret that it would find (ruling 203); null where it is the database's. */
async function wrongSecret(
  { secret_fingerprint, description }: Pick<DatabaseFacts, "secret_fingerprint"> & { readonly description: string },
  env: Environment,
  file: string,
): Promise<string | null> {
  if (secret_fingerprint === null) return null;
  const secret = env.CAMINO_SECRET ?? (await readFile(file, "utf8").catch(() => "")).trim();
  if (secret !== "" && fingerprintOf(secret) === secret_fingerprint) return null;
  return `${secret === "" ? `There is no secret in ${file}.` : anotherSecret(description, secretPlace(env, file))} ${WHAT_TO_DO}`;
}

/** The settings that `serve` reads from its options and variables, besides the configuration. Throws the SettingsError with which it would end. */
function servingOf(options: ServeOptions, env: Environment, file: OperationsSettings | undefined): Serving {
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
