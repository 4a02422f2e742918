import {
  isCellAddress,
  isCellName,
  isSameDatabase,
  WEIGHTS_OF_CELLS,
  weightOf,
} from "../../catalog/reading/read-cells.ts";
import type { CellAddress, CellSettings } from "../../core/catalog/cell-settings.ts";
import type { Environment } from "../../core/environment.ts";
import { DIRECTORY } from "../../core/store/cells.ts";
import { SettingsError } from "./settings.ts";

/**
 * The cells that the environment names, else those of the configuration file (docs/configuration.md Cells); null where there is one database
 * alone. Throws a SettingsError, also where the gateway's database cannot be their directory.
 */
export function readCells(env: Environment, database_url: string | null, file?: CellSettings): CellSettings | null {
  const named = readVariables(env);
  const settings = named ?? file ?? null;
  if (settings === null) return null;
  const place = named === null ? "The file's cells" : "CAMINO_CELLS";
  if (database_url === null || !isCellAddress(database_url))
    throw new SettingsError(
      `${place} need a PostgreSQL database in CAMINO_DATABASE_URL, or --database: it is their directory.`,
    );
  const same = settings.cells.find(({ url }) => isSameDatabase(url, database_url));
  if (same === undefined) return settings;
  throw new SettingsError(
    `${place} give ${same.name} the database of the directory (CAMINO_DATABASE_URL, --database or migrate-store --to).`,
  );
}

function readVariables(env: Environment): CellSettings | null {
  const given = pairs("CAMINO_CELLS", env.CAMINO_CELLS ?? "");
  const weights = readWeights(pairs("CAMINO_CELL_WEIGHTS", env.CAMINO_CELL_WEIGHTS ?? ""));
  if (given.size === 0) {
    if (weights.size === 0) return null;
    throw new SettingsError(
      "CAMINO_CELL_WEIGHTS is set and CAMINO_CELLS is not: it weighs the cells of that variable.",
    );
  }
  const cells: CellAddress[] = [];
  for (const [name, url] of given) cells.push(cellOf({ name, url, weight: weights.get(name) ?? 1 }, cells));
  const unknown = [...weights.keys()].find((name) => name !== DIRECTORY && !given.has(name));
  if (unknown !== undefined) throw new SettingsError(`CAMINO_CELL_WEIGHTS names ${unknown}, which is no cell.`);
  const directory_weight = weights.get(DIRECTORY) ?? 1;
  if (directory_weight + cells.reduce((sum, { weight }) => sum + weight, 0) === 0)
    throw new SettingsError("CAMINO_CELL_WEIGHTS gives every cell 0: no account could be made.");
  return { directory_weight, cells };
}

/** Texts `NAME=VALUE` with white space between them. */
function pairs(variable: string, text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const word of text.split(/\s+/).filter((each) => each !== "")) {
    const at = word.indexOf("=");
    const name = word.slice(0, Math.max(0, at));
    // The value may be an address with a password, which no message shows.
    if (!isCellName(name))
      throw new SettingsError(
        `${variable} has a part without a name; allowed: NAME=VALUE with white space between them, names of small letters, digits and "-".`,
      );
    if (found.has(name)) throw new SettingsError(`${variable} names ${name} twice.`);
    found.set(name, word.slice(at + 1));
  }
  return found;
}

function readWeights(given: ReadonlyMap<string, string>): Map<string, number> {
  return new Map(
    Array.from(given, ([name, text]) => {
      const weight = weightOf(text);
      if (weight !== null) return [name, weight];
      throw new SettingsError(
        `CAMINO_CELL_WEIGHTS gives ${name} ${JSON.stringify(text)}; allowed: ${WEIGHTS_OF_CELLS}.`,
      );
    }),
  );
}

function cellOf(cell: CellAddress, before: readonly CellAddress[]): CellAddress {
  const { name, url } = cell;
  if (name === DIRECTORY)
    throw new SettingsError(`CAMINO_CELLS names ${DIRECTORY}, which is the database of CAMINO_DATABASE_URL.`);
  if (!isCellAddress(url))
    throw new SettingsError(`CAMINO_CELLS: the address of ${name} must begin with "postgres://".`);
  const same = before.find((other) => isSameDatabase(other.url, url));
  if (same !== undefined) throw new SettingsError(`CAMINO_CELLS gives ${same.name} and ${name} one database.`);
  return cell;
}
