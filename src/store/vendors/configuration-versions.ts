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
import { sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";

const REVISION = "configuration";

interface VersionRow {
  readonly kind: string;
  readonly id: string;
  readonly version: unknown;
  readonly action: string;
  readonly value: string | null;
  readonly changed_ms: unknown;
  readonly changed_by: string;
}

const COLUMNS = "kind, id, version, action, value, changed_ms, changed_by";

const selectNewest = sql(
  `SELECT ${COLUMNS} FROM configuration_versions AS newest WHERE version = (
    SELECT MAX(every.version) FROM configuration_versions AS every WHERE every.kind = newest.kind AND every.id = newest.id
  ) ORDER BY kind, id`,
);

export function* listElements(): Work<ElementVersion[]> {
  return (yield* rows<VersionRow>(selectNewest)).map(toVersion);
}

const selectRevision = sql("SELECT revision FROM revisions WHERE name = ?");

export function* elementsRevision(): Work<number> {
  const found = yield* row<{ revision: unknown }>(selectRevision, [REVISION]);
  return found === null ? 0 : toInt(found.revision);
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
  return (yield* rows<VersionRow>(selectHistory, [kind, id, before, limit])).map(toVersion);
}

const countUp = sql(
  `INSERT INTO revisions (name, revision) VALUES (?, 1)
    ON CONFLICT (name) DO UPDATE SET revision = revisions.revision + 1 RETURNING revision`,
);

const insertVersion = sql(`INSERT INTO configuration_versions (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`);

export function* changeElement(
  change: Omit<ElementVersion, "changed_ms">,
  revision: number,
  audit: AuditChange,
): Work<void> {
  const { kind, id, version, action, value, changed_by } = change;
  // First of all, so that changes on several nodes at once wait for each other; the later ones find another revision than theirs.
  const counted = yield* row<{ revision: unknown }>(countUp, [REVISION]);
  if (toInt(counted?.revision ?? 0) !== revision + 1) {
    throw new StoreConflict("The configuration was changed meanwhile. Read it again.");
  }
  const text = value === null ? null : JSON.stringify(value);
  yield* rows(insertVersion, [kind, id, version, action, text, yield* now_ms(), changed_by]);
  yield* writeAuditEntry(audit);
}

function toVersion(found: VersionRow): ElementVersion {
  return {
    kind: found.kind as ElementKind,
    id: found.id,
    version: toInt(found.version),
    action: found.action,
    value: found.value === null ? null : (JSON.parse(found.value) as ElementValue),
    changed_ms: toInt(found.changed_ms),
    changed_by: found.changed_by,
  };
}
