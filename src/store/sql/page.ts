import type { PagedList } from "../../core/store/cells.ts";
import { sql, type Value } from "./statement.ts";
import { toIntOrNull } from "./values.ts";
import { row, type Work } from "./work.ts";

/** The condition for rows behind a place, the newest first; its parameters are what `placeIn` gives. */
export function behind(table: string): string {
  return `(${table}created_ms < ? OR (${table}created_ms = ? AND ${table}id < ?))`;
}

const selectCreated = (table: string) => sql(`SELECT created_ms FROM ${table} WHERE id = ?`);
const SELECTS = {
  accounts: selectCreated("accounts"),
  keys: selectCreated("keys"),
  projects: selectCreated("projects"),
  audit_log: selectCreated("audit_log"),
  users: selectCreated("users"),
  links: selectCreated("links"),
  management_keys: selectCreated("management_keys"),
} as const satisfies Readonly<Record<PagedList | "users" | "links" | "management_keys", unknown>>;

/** When a list's row was created; null where there is no such row. */
export function* createdAt(list: keyof typeof SELECTS, id: string): Work<number | null> {
  return toIntOrNull((yield* row<{ created_ms: unknown }>(SELECTS[list], [id]))?.created_ms);
}

/** The row that a page goes on from, with its time where that row is in another cell (docs/adr/0085). */
interface PagePlace {
  readonly before_id?: string;
  readonly before_ms?: number;
}

/**
 * The place at which a page of a list begins, the newest rows first: behind the given row, or at the list's beginning without one. Null where
 * the given row does not exist.
 */
export function* placeIn(list: keyof typeof SELECTS, { before_id, before_ms }: PagePlace): Work<Value[] | null> {
  if (before_id === undefined) return [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, ""];
  const created_ms = before_ms ?? (yield* createdAt(list, before_id));
  return created_ms === null ? null : [created_ms, created_ms, before_id];
}
