import type {
  ElementKind,
  ElementName,
  ElementValue,
  ElementVersion,
} from "../../core/catalog/configuration-elements.ts";
import type { AuditChange } from "../../core/people/audit.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { writeAuditEntry } from "../audit-log/write-entry.ts";
import { now_ms } from "../sql/clock.ts";
import { columnsOf, int, jsonOrNull, readRows, text, word } from "../sql/columns.ts";
import { sql } from "../sql/statement.ts";
import { rows, type Work } from "../sql/work.ts";
import { nextRevision, revisionOf } from "./revisions.ts";

const VERSION = {
  kind: word<ElementKind>(),
  id: text,
  version: int,
  action: text,
  value: jsonOrNull<ElementValue>(),
  changed_ms: int,
  changed_by: text,
} as const;
const COLUMNS = columnsOf(VERSION);

const selectNewest = sql(
  `SELECT ${COLUMNS} FROM configuration_versions AS newest WHERE version = (
    SELECT MAX(every.version) FROM configuration_versions AS every WHERE every.kind = newest.kind AND every.id = newest.id
  ) ORDER BY kind, id`,
);

export function* listElements(): Work<ElementVersion[]> {
  return yield* readRows(VERSION, selectNewest);
}

export function* elementsRevision(): Work<number> {
  return yield* revisionOf("configuration");
}

/** Above every version that there can be. */
const NO_BOUND = Number.MAX_SAFE_INTEGER;

const selectHistory = sql(
  `SELECT ${COLUMNS} FROM configuration_versions WHERE kind = ? AND id = ? AND version < ? ORDER BY version DESC LIMIT ?`,
);

export function* elementHistory(
  { kind, id }: ElementName,
  { before = NO_BOUND, limit }: { readonly before?: number; readonly limit: number },
): Work<ElementVersion[]> {
  return yield* readRows(VERSION, selectHistory, [kind, id, before, limit]);
}

const insertVersion = sql(`INSERT INTO configuration_versions (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`);

export function* changeElement(
  change: Omit<ElementVersion, "changed_ms">,
  revision: number,
  audit: AuditChange,
): Work<void> {
  const { kind, id, version, action, value, changed_by } = change;
  if ((yield* nextRevision("configuration")) !== revision + 1)
    throw new StoreConflict("The configuration was changed meanwhile. Read it again.");
  const text = value === null ? null : JSON.stringify(value);
  yield* rows(insertVersion, [kind, id, version, action, text, yield* now_ms(), changed_by]);
  yield* writeAuditEntry(audit);
}
