import { type AuditEntry, type AuditPage, AuditQuery } from "../../../contract/audit.ts";
import type { ConsoleAnswer } from "../../core/console-exchange.ts";
import { given } from "../../core/given.ts";
import type { AuditRecord, AuditSnapshot } from "../../core/people/audit.ts";
import { type Page, pageAfter, readPage, showPage } from "../answer/page.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { requireAccounts } from "../answer/scope.ts";
import { readTime, requireOrder } from "../read/read-time.ts";
import { csvFile } from "../show/csv-file.ts";
import { AUDIT_COLUMNS, auditRow } from "../show/record-files.ts";

export const auditRoutes = [route("GET /audit-log", "administrator", { query: AuditQuery, handle: listEntries })];

async function listEntries(call: ConsoleCall<unknown, AuditQuery>): Promise<ConsoleAnswer> {
  const { actor, action, object, account } = call.query;
  const from_ms = readTime(call.query.from, "from");
  const to_ms = readTime(call.query.to, "to");
  requireOrder({ from: from_ms, to: to_ms });
  const account_id = account === undefined ? null : await requireAccounts(call, account);
  const asked = {
    ...given({ actor, action, object_id: object, from_ms, to_ms }),
    ...(account_id === null ? {} : { account_id }),
  };
  const read = async (page: Page): Promise<AuditPage> => {
    const records = await call.deps.users.listAuditEntries({ ...asked, ...page, limit: page.limit + 1 });
    return showPage(records, page, showEntry);
  };
  if (call.query.format !== "csv") return { status: 200, body: await read(readPage(call.query)) };
  return csvFile("audit-log", AUDIT_COLUMNS, async (before) => {
    const { data, next_before } = await read(pageAfter(before));
    return { rows: data.map(auditRow), next_before };
  });
}

function showEntry(record: AuditRecord): AuditEntry {
  const { actor, object } = record;
  return {
    id: record.id,
    created_at: new Date(record.created_ms).toISOString(),
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
