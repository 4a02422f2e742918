import type { AuditReport } from "../../core/ledger/books-audit.ts";
import { workOf } from "../sql/port.ts";
import type { Work } from "../sql/work.ts";
import { Audit } from "./audit-books.ts";
import { AUDIT_WORKS } from "./audit-works.ts";

/** A whole audit as one work, for a driver whose statements return at once and a database that is small. */
export function* audit(): Work<AuditReport> {
  const steps = new Audit({}).run();
  let asked = steps.next();
  while (asked.done !== true) asked = steps.next(yield* workOf(AUDIT_WORKS, asked.value.method, asked.value.args));
  return asked.value;
}
