import { newId } from "../../core/ids.ts";
import type { AuditChange } from "../../core/people/audit.ts";
import { now_ms } from "../sql/clock.ts";
import { sql } from "../sql/statement.ts";
import { rows, type Work } from "../sql/work.ts";

const insertEntry = sql(
  `INSERT INTO audit_log (id, created_ms, actor_kind, actor_id, actor_name, action, noun, object_kind, object_id,
    account_id, was, became, address) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
);

/** Writes one line of the audit log, in the transaction of the work that yields it. */
export function* writeAuditEntry(change: AuditChange): Work<void> {
  const { actor, action, object, account_id, before, after, address } = change;
  const noun = action.split(".")[0] ?? action;
  yield* rows(insertEntry, [
    newId("aud"),
    yield* now_ms(),
    // The database knows four kinds: a management key is the admin token with an id.
    actor.kind === "management-key" ? "admin-token" : actor.kind,
    actor.id,
    actor.name,
    action,
    noun,
    object.kind,
    object.id,
    account_id,
    asText(before),
    asText(after),
    address,
  ]);
}

/** Amounts are whole micro units within what a JSON number is exact for. */
function asText(snapshot: AuditChange["before"]): string | null {
  if (snapshot === null) return null;
  return JSON.stringify(snapshot, (_name, value: unknown) => (typeof value === "bigint" ? Number(value) : value));
}
