import type { Alias, Key, PrefixAlias } from "../../../../contract/keys.ts";
import { ApiError } from "../../api/api-error.ts";

/** An alias as it is edited: a name that ends in `*` is a prefix alias. `id` identifies rows, even without a name. */
export interface AliasRow {
  readonly id: number;
  readonly name: string;
  readonly model: string;
}

let last_id = 0;

export function newAliasRow(name = "", model = ""): AliasRow {
  last_id += 1;
  return { id: last_id, name, model };
}

/** Aliases first, then prefix aliases. */
export function aliasRows({ aliases, prefix_aliases }: Pick<Key, "aliases" | "prefix_aliases">): AliasRow[] {
  return [
    ...aliases.map(({ name, model }) => newAliasRow(name, model)),
    ...prefix_aliases.map(({ prefix, model }) => newAliasRow(`${prefix}*`, model)),
  ];
}

interface Aliases {
  readonly aliases: Alias[];
  readonly prefix_aliases: PrefixAlias[];
}

/** The rows as a key keeps them, without empty rows. */
export function aliasesOf(rows: readonly AliasRow[]): Aliases {
  const [exact, prefixes] = byKind(rows);
  return {
    aliases: exact.map(({ name, model }) => ({ name: name.trim(), model })),
    prefix_aliases: prefixes.map(({ name, model }) => ({ prefix: name.trim().slice(0, -1), model })),
  };
}

/** The rows that have a valid name and a model, and so can be resolved. */
export function completeRows(rows: readonly AliasRow[]): AliasRow[] {
  return rows.filter(({ name, model }) => /^[A-Za-z0-9._:/-]{1,128}\*?$/.test(name.trim()) && model !== "");
}

export interface RowError {
  readonly field: "name" | "model";
  readonly message: string;
}

/** Which row a refusal is about (`aliases[2].model`), by its id; null when it is about no row. */
export function rowError(rows: readonly AliasRow[], thrown: unknown): (RowError & { readonly id: number }) | null {
  const param = thrown instanceof ApiError ? thrown.param : null;
  const found = /^(aliases|prefix_aliases)\[(\d+)\](?:\.(\w+))?$/.exec(param ?? "");
  if (found === null || !(thrown instanceof ApiError)) return null;
  const [exact, prefixes] = byKind(rows);
  const row = (found[1] === "aliases" ? exact : prefixes)[Number(found[2])];
  return row === undefined
    ? null
    : { id: row.id, field: found[3] === "model" ? "model" : "name", message: thrown.message };
}

function byKind(rows: readonly AliasRow[]): [exact: AliasRow[], prefixes: AliasRow[]] {
  const written = rows.filter(({ name, model }) => name.trim() !== "" || model !== "");
  const isPrefix = ({ name }: AliasRow) => name.trim().endsWith("*");
  return [written.filter((row) => !isPrefix(row)), written.filter(isPrefix)];
}
