import type { AuditEntry } from "../../../../contract/audit.ts";
import { LANGUAGE } from "../../kit/language.ts";
import { describeBrowser } from "../settings/describe-browser.ts";

type Snapshot = AuditEntry["before"];

export interface Changed {
  /** The field's name for people: "budget amount". */
  readonly name: string;
  /** The field's own name, which decides how its value is written. */
  readonly field: string;
  /** Undefined where the field was absent before; `after`, where it is absent now. */
  readonly before: unknown;
  readonly after: unknown;
}

/** Fields that are shown elsewhere in the entry or mean nothing to people. */
const HIDDEN = new Set(["id", "account_id", "created_ms", "user_id", "hash", "key_id", "purpose", "email_verified"]);

/** The changed fields; of a new or removed object, all of its fields. */
export function changesOf({ before, after }: Pick<AuditEntry, "before" | "after">): Changed[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return fields.flatMap((field) => changeOf(field, before, after)).filter(({ field }) => !HIDDEN.has(field));
}

function changeOf(field: string, before: Snapshot, after: Snapshot): Changed[] {
  const [was, is] = [before?.[field], after?.[field]];
  if (JSON.stringify(was) === JSON.stringify(is) || (isEmpty(was) && isEmpty(is))) return [];
  // In a snapshot, a ledger entry is a nested object; its fields are compared like the others.
  if (was === undefined && isFields(is) && field === "entry")
    return Object.entries(is).flatMap(([inner, value]) =>
      isEmpty(value) ? [] : [{ name: nameOf(inner), field: inner, before: undefined, after: value }],
    );
  return [{ name: nameOf(field), field, before: was, after: is }];
}

/** Whether a value is not worth a line when an object is made or removed. */
export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const NAMES: Readonly<Record<string, string>> = {
  balance_micro: "balance",
  held_micro: "held",
  rpm: "requests per minute",
  tpm: "tokens per minute",
  concurrent: "concurrent requests",
  hint: "last characters",
  user_agent: "browser",
};

function nameOf(field: string): string {
  return NAMES[field] ?? field.replace(/_(micro|ms)$/, "").replaceAll("_", " ");
}

/** A value in words. `money` writes an amount of micro units. */
export function valueWords(field: string, value: unknown, money: (micro: number) => string): string {
  if (isEmpty(value)) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return numberWords(field, value, money);
  if (Array.isArray(value)) return value.map((each) => valueWords(field, each, money)).join(", ");
  if (isFields(value)) return fieldsWords(value, money);
  return field === "user_agent" ? describeBrowser(String(value)) : String(value);
}

function numberWords(field: string, value: number, money: (micro: number) => string): string {
  if (field.endsWith("_micro")) return money(value);
  if (field.endsWith("_ms"))
    return new Intl.DateTimeFormat(LANGUAGE, { dateStyle: "medium", timeStyle: "short" }).format(value);
  return new Intl.NumberFormat(LANGUAGE).format(value);
}

/** An alias as "fast → acme/swift", a budget as "$5.00 a day"; of anything else, each field. */
function fieldsWords(value: Record<string, unknown>, money: (micro: number) => string): string {
  const { name, prefix, model, amount_micro, window } = value;
  if (typeof model === "string" && typeof name === "string") return `${name} → ${model}`;
  if (typeof model === "string" && typeof prefix === "string") return `${prefix}* → ${model}`;
  if (typeof amount_micro === "number" && typeof window === "string") return `${money(amount_micro)} a ${window}`;
  return Object.entries(value)
    .map(([field, inner]) => `${nameOf(field)} ${valueWords(field, inner, money)}`)
    .join(", ");
}
