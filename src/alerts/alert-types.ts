/** A type of alerts (docs/rulings.md 185). */
export interface AlertType {
  /** An alert about an account goes to the account's targets, one about the gateway to its operator's. */
  readonly about: "account" | "gateway";
  /** The type of the event that tells its end; null for something that happened, which has no end. */
  readonly ended: string | null;
  /** The fields of its data that are the same from its beginning to its end; all others are of the moment. */
  readonly names: readonly string[];
}

const account = (type: string, ...names: string[]): AlertType => ({
  ...{ about: "account", ended: `${type}.ended` },
  names: ["account", "account_name", ...names],
});
const gateway = (type: string, ...names: string[]): AlertType => ({ about: "gateway", ended: `${type}.ended`, names });
const HAPPENED: AlertType = { about: "gateway", ended: null, names: [] };

export const ALERT_TYPES = {
  "balance.low": account("balance.low"),
  "balance.empty": account("balance.empty"),
  "budget.reached": account("budget.reached", "holder", "project", "project_name", "key", "key_name"),
  "key.expiring": account("key.expiring", "key", "key_name"),
  "spend.unusual": account("spend.unusual"),
  "vendor.failing": gateway("vendor.failing", "vendor", "model", "reason"),
  "circuit.opened": { about: "gateway", ended: "circuit.closed", names: ["vendor", "model"] },
  "cell.away": { about: "gateway", ended: "cell.back", names: ["cell"] },
  "incident.opened": gateway("incident.opened", "incident", "kind", "detail"),
  "audit.found": gateway("audit.found"),
  "backup.late": gateway("backup.late"),
  "loss.booked": HAPPENED,
  "usage.unpriced": HAPPENED,
} as const satisfies Readonly<Record<string, AlertType>>;

export type AlertTypeName = keyof typeof ALERT_TYPES;

/** The type of the event that a person asks for, to see whether it arrives. */
export const TEST_TYPE = "test";

/** The type of a receipt, which an account's owners get by mail. It is no alert, and goes to no target. */
export const RECEIPT_TYPE = "credit.added";

export function isAlertType(text: string): text is AlertTypeName {
  return Object.hasOwn(ALERT_TYPES, text);
}

/** The type to which an event belongs: its own, or that whose end it tells. Null for a test. */
export function typeOfEvent(event_type: string): AlertTypeName | null {
  if (isAlertType(event_type)) return event_type;
  const found = Object.entries(ALERT_TYPES).find(([, { ended }]) => ended === event_type);
  return found === undefined ? null : (found[0] as AlertTypeName);
}
