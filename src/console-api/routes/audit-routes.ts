import { type AuditEntry, type AuditPage, AuditQuery } from "../../../contract/audit.ts";
import type { ConsoleAnswer } from "../../core/answer/console-exchange.ts";
import { given, withoutNulls } from "../../core/given.ts";
import type { AuditRecord, AuditSnapshot } from "../../core/people/audit.ts";
import { type Page, readPage, showPage } from "../answer/page.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { requireAccounts } from "../answer/scope.ts";
import { readSpan } from "../read/read-time.ts";
import { csvFile } from "../show/csv-file.ts";
import { AUDIT_COLUMNS, auditRow } from "../show/file-rows.ts";
import { showTime } from "../show/show.ts";

export const auditRoutes = [route("GET /audit-log", "administrator", { query: AuditQuery, handle: listEntries })];

async function listEntries(call: ConsoleCall<unknown, AuditQuery>): Promise<ConsoleAnswer> {
  const { actor, action, object, account } = call.query;
  const span = readSpan(call.query);
  const account_id = account === undefined ? null : await requireAccounts(call, account);
  const asked = { ...given({ actor, action, object_id: object, ...span }), ...withoutNulls({ account_id }) };
  const read = async (page: Page): Promise<AuditPage> => {
    const records = await call.deps.users.listAuditEntries({ ...asked, ...page, limit: page.limit + 1 });
    return showPage(records, page, showEntry);
  };
  if (call.query.format !== "csv") return { status: 200, body: await read(readPage(call.query)) };
  return csvFile("audit-log", { columns: AUDIT_COLUMNS, read, rowsOf: (entries) => entries.map(auditRow) });
}

function showEntry(record: AuditRecord): AuditEntry {
  const { actor, object } = record;
  return {
    id: record.id,
    created_at: showTime(record.created_ms),
    actor: { kind: actor.kind, id: actor.id, name: actor.name },
    action: record.action,
    object: { kind: object.kind, id: object.id },
    account: record.account_id,
    before: asShown(record.before),
    after: asShown(record.after),
    address: record.address,
  };
}

function asShown(snapshot: AuditSnapshot | null): Record<string, unknown> | null {
  return snapshot && { ...snapshot };
}
