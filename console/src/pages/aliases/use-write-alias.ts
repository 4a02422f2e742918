import { useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { aliasesOf, aliasRows, newAliasRow } from "../keys/alias-rows.ts";
import { KEY_READS } from "../keys/key-reads.ts";
import { replaced } from "./all-aliases.ts";

interface AliasChange {
  readonly key: string;
  /** The alias's current name; null for a new alias. */
  readonly before: string | null;
  /** The alias's new state; null removes the alias. */
  readonly after: { readonly name: string; readonly model: string } | null;
}

/**
 * Writes one alias of a key. A key's aliases are written together, so they are read again first, which keeps the
 * changes of others (docs/rulings.md 123).
 */
export function useWriteAlias(): (change: AliasChange) => Promise<void> {
  const queries = useQueryClient();
  return async ({ key, before, after }) => {
    const now = await call("GET /keys/{key}", { path: { key } });
    const rows = replaced(aliasRows(now), before, after && newAliasRow(after.name.trim(), after.model));
    await call("PATCH /keys/{key}", { path: { key }, body: aliasesOf(rows) });
    await Promise.all(KEY_READS.map((read) => queries.invalidateQueries({ queryKey: [read] })));
  };
}
