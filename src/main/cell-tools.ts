import type { CellAdministration, CellOptions } from "../cli/shared/deps.ts";
import type { Environment } from "../core/environment.ts";
import { CellTools } from "../store/cells/move/cell-tools.ts";
import { readFileCells } from "./read-configuration.ts";
import { readCells } from "./settings/cells.ts";
import { readSettings, SettingsError } from "./settings/settings.ts";

/** Tools for the cells that the configuration file or the environment names. Rejects with a SettingsError where there are none. */
export async function cellTools(options: CellOptions, env: Environment): Promise<CellAdministration> {
  const { config_file, database_url } = readSettings(options, env);
  const settings = readCells(env, database_url, await readFileCells(config_file, env));
  if (settings === null || database_url === null)
    throw new SettingsError(
      "There are no cells: the section cells of the file names them, or CAMINO_CELLS (docs/configuration.md).",
    );
  return new CellTools(database_url, settings);
}
