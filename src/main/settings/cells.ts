import { type CellAddress, type CellSettings, DIRECTORY } from "../../core/store/cells.ts";
import { type Environment, SettingsError } from "./settings.ts";

const NAME = /^[a-z][a-z0-9-]{0,31}$/;
const LARGEST_WEIGHT = 1000;

/** The cells that the environment names (docs/scale.md); null where there is one database alone. Throws a SettingsError. */
export function readCells(env: Environment, database_url: string | null): CellSettings | null {
  const given = pairs("CAMINO_CELLS", env.CAMINO_CELLS ?? "");
  const weights = readWeights(pairs("CAMINO_CELL_WEIGHTS", env.CAMINO_CELL_WEIGHTS ?? ""));
  if (given.size === 0) {
    if (weights.size === 0) return null;
    throw new SettingsError("CAMINO_CELL_WEIGHTS is set and CAMINO_CELLS is not: there are no cells to weigh.");
  }
  if (database_url === null || !isPostgres(database_url))
    throw new SettingsError("CAMINO_CELLS needs a PostgreSQL database in CAMINO_DATABASE_URL, which is the directory.");
  const cells = Array.from(given, ([name, url]) => cellOf(name, url, weights.get(name) ?? 1));
  const addresses = [database_url, ...cells.map(({ url }) => url)];
  if (new Set(addresses).size < addresses.length)
    throw new SettingsError("CAMINO_CELLS names one address twice, or that of CAMINO_DATABASE_URL.");
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
    if (!NAME.test(name))
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
      const weight = Number(text);
      if (/^\d{1,4}$/.test(text) && weight <= LARGEST_WEIGHT) return [name, weight];
      throw new SettingsError(
        `CAMINO_CELL_WEIGHTS gives ${name} ${JSON.stringify(text)}; allowed: a whole number from 0 to ${LARGEST_WEIGHT}.`,
      );
    }),
  );
}

function cellOf(name: string, url: string, weight: number): CellAddress {
  if (name === DIRECTORY)
    throw new SettingsError(`CAMINO_CELLS names ${DIRECTORY}, which is the database of CAMINO_DATABASE_URL.`);
  if (!isPostgres(url)) throw new SettingsError(`CAMINO_CELLS: the address of ${name} must begin with "postgres://".`);
  return { name, url, weight };
}

function isPostgres(url: string): boolean {
  return /^postgres(ql)?:\/\//.test(url) && URL.canParse(url);
}
