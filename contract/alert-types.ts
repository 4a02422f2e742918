/** The types of alerts in words, for the console as well: without the schema library. */

/** The types, in the order in which people read them, with what each tells by default. */
export const ALERT_TYPE_WORDS = {
  "balance.low": "less than 5 units are left, or less than three days at the pace of the last day",
  "balance.empty": "nothing is left",
  "budget.reached": "50, 80 or 100 percent of a budget are used",
  "key.expiring": "a key ends within 7 days",
  "spend.unusual": "today costs three times a usual day, and 5 units or more",
  "vendor.failing":
    "half of at least 20 calls to a vendor failed within 5 minutes, or its first byte takes three times as long as in the last day",
  "circuit.opened": "a vendor is not asked for now",
  "cell.away": "the database of some accounts is away, and they get 503",
  "incident.opened": "an incident waits for a person",
  "audit.found": "the audit found problems in the books",
  "backup.late": "the last `camino backup` is older than `alerts.backup_after` says; off unless that is set",
  "loss.booked": "something was paid and charged to nobody, once a day",
  "usage.unpriced": "a vendor told usage that has no price, once a model and day",
} as const;
export type AlertTypeName = keyof typeof ALERT_TYPE_WORDS;
export const ALERT_TYPE_NAMES = Object.keys(ALERT_TYPE_WORDS) as AlertTypeName[];
/** The types that an account's own targets hear; the gateway's hear all. */
export const ACCOUNT_ALERT_TYPES: readonly AlertTypeName[] = ALERT_TYPE_NAMES.slice(0, 5);
