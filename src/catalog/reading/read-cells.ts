import type { CellAddress, CellSettings } from "../../core/catalog/cell-settings.ts";
import { DIRECTORY } from "../../core/store/cells.ts";
import { report, type YamlPlace } from "./place.ts";
import { readEntries, readFields } from "./read-fields.ts";
import { readParsed, readText } from "./read-scalar.ts";

const NAME = /^[a-z][a-z0-9-]{0,31}$/;
export const NAMES_OF_CELLS =
  "a name of small letters, digits and -, at most 32 of them, that begins with a letter, such as north";
const ADDRESS = "the address of a PostgreSQL database that no other cell has, such as ${NORTH_URL}";
const NO_ADDRESS = "weight alone: the directory is the gateway's own database, of CAMINO_DATABASE_URL";
const LARGEST_WEIGHT = 1000;
export const WEIGHTS_OF_CELLS = `a whole number from 0 to ${LARGEST_WEIGHT}`;
const SOME = "a map of at least one cell beside directory";
const HIDDEN = "a value that is not shown";

export function isCellName(text: string): boolean {
  return NAME.test(text);
}

/** Whether a text is the address of a PostgreSQL database. */
export function isCellAddress(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text);
}

/** The weight that a text says; null where it says none. */
export function weightOf(text: string): number | null {
  return /^\d{1,4}$/.test(text) && Number(text) <= LARGEST_WEIGHT ? Number(text) : null;
}

/** Reads the cells beside the gateway's database; null where the file names none. Addresses are not shown: they may have passwords. */
export function readCells(place: YamlPlace | null): CellSettings | null {
  const entries = readEntries(place, SOME);
  if (place === null || entries === null) return null;
  let directory_weight = 1;
  const cells: CellAddress[] = [];
  for (const [name, entry] of entries) {
    if (name === DIRECTORY) directory_weight = readDirectory(entry);
    else if (isCellName(name)) cells.push(...readCell(name, entry, cells));
    else report(entry, NAMES_OF_CELLS, `the name ${JSON.stringify(name)}`);
  }
  if (entries.every(([name]) => name === DIRECTORY)) return report(place, SOME, "none");
  if (directory_weight + cells.reduce((sum, { weight }) => sum + weight, 0) === 0)
    report(place, "a cell with a weight above 0", "the weight 0 for every cell, so that no account could be made");
  return { directory_weight, cells };
}

function readDirectory(place: YamlPlace): number {
  const fields = readFields(place, ["url", "weight"]);
  const url = fields?.get("url") ?? null;
  if (url !== null) report(url, NO_ADDRESS, "an address");
  return readWeight(fields?.get("weight") ?? null);
}

function readCell(name: string, place: YamlPlace, before: readonly CellAddress[]): CellAddress[] {
  const fields = readFields(place, ["url", "weight"]);
  const at = fields?.require("url", ADDRESS) ?? null;
  const url = readText(at, ADDRESS);
  const weight = readWeight(fields?.get("weight") ?? null);
  if (at === null || url === null) return [];
  const same = before.find((other) => isSameDatabase(other.url, url));
  if (!isCellAddress(url)) report(at, ADDRESS, HIDDEN);
  else if (same !== undefined) report(at, ADDRESS, `the database of ${same.name}`);
  else return [{ name, url, weight }];
  return [];
}

function readWeight(place: YamlPlace | null): number {
  return readParsed(place, WEIGHTS_OF_CELLS, weightOf) ?? 1;
}

/** Whether two addresses lead to one database: passwords and most parameters do not matter. Another schema (`search_path`) counts as another database. */
export function isSameDatabase(one: string, other: string): boolean {
  return one === other || placeOf(one) === placeOf(other);
}

function placeOf(address: string): string {
  const url = URL.parse(address);
  if (url === null) return address;
  const { hostname, port, pathname, username, searchParams } = url;
  return JSON.stringify([hostname, port || "5432", pathname || username, username, searchParams.get("options")]);
}
