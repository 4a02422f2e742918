import type { AuditEntry } from "../../../contract/audit.ts";
import type { Entry } from "../../../contract/credits.ts";
import type { Cell } from "../../../contract/csv.ts";
import { amount } from "./account-files.ts";

/** Records that never change, as rows of files: entries of a ledger, and of the audit log. */

export const ENTRY_COLUMNS = [
  ...["id", "created_at", "account", "kind", "amount", "amount_micro", "sum_after", "sum_after_micro", "currency"],
  ...["request", "note", "actor", "corrects"],
];

export function entryRow(entry: Entry, currency: string): Cell[] {
  return [
    ...[entry.id, entry.created_at, entry.account, entry.kind],
    ...[...amount(entry.amount_micro), ...amount(entry.posted_after_micro), currency],
    ...[entry.request, entry.note, entry.actor, entry.corrects],
  ];
}

export const AUDIT_COLUMNS = [
  ...["id", "created_at", "actor_kind", "actor_id", "actor_name", "action", "object_kind", "object_id", "account"],
  ...["address", "before", "after"],
];

/** The values before and after are JSON. */
export function auditRow({
  id,
  created_at,
  actor,
  action,
  object,
  account,
  address,
  before,
  after,
}: AuditEntry): Cell[] {
  return [
    ...[id, created_at, actor.kind, actor.id, actor.name, action, object.kind, object.id, account, address],
    ...[before, after].map((snapshot) => (snapshot === null ? null : JSON.stringify(snapshot))),
  ];
}
