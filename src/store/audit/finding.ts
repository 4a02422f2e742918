import type { AuditCheck, AuditFinding, AuditPlace } from "../../core/ledger/books-audit.ts";
import { formatDay } from "../../limits/windows.ts";

/** The remedy for a finding of each kind, for a person. */
const REMEDIES: Readonly<Record<AuditCheck, string>> = {
  balance:
    "Stop the gateway, restore a backup or ask who changed the table, and book a correction once the reason is known.",
  hold: "Holds of ended requests stay held: restart the gateway, which ends what was left open, and audit again.",
  key: "Rebuild the counters: camino audit --rebuild usage.",
  chain:
    "An entry was changed or removed past the gateway: compare with a backup; do not correct before the reason is known.",
  charge: "Compare the receipt with the entry, and book a correction that names the entry.",
  price: "Compare the receipt with the vendor's bill, and book a correction that names the entry.",
  request: "The receipt is gone: look in a backup for it; the entry still counts.",
  "top-up": "The month's limit counts wrongly until the month ends: set the rule anew.",
  usage: "Rebuild the counters: camino audit --rebuild usage.",
  incident: "Book by hand what is missing, if anything is, and say so: camino incident close ID --note TEXT.",
  anchor: "Compare with a backup before you go on.",
  place:
    "Delete nothing by hand: camino account show completes what was begun; for books in two cells compare both with backups.",
};

/** Makes a finding; values are written as they are. */
export function finding(
  check: AuditCheck,
  place: AuditPlace,
  problem: string,
  values: { readonly found: unknown; readonly expected: unknown },
): AuditFinding {
  return {
    check,
    place,
    problem,
    found: String(values.found),
    expected: String(values.expected),
    remedy: REMEDIES[check],
  };
}

/** A day's number as a place names it. */
export function dayOfPlace(day: number): string {
  return formatDay(day);
}
