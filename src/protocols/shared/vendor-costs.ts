import { isObject, type JsonRecord } from "../../core/json.ts";
import { findMembers, type MemberChange, memberText, replaceMembers } from "./json-members.ts";

/**
 * What a vendor says of its own prices is between it and the operator, and clients would take it for what they pay: no client sees
 * it (docs/rulings.md 169). It is known by its names, of which each vendor has its own: `cost`, `cost_details` and `is_byok`
 * (OpenRouter), `cost_in_usd_ticks` (xAI), `estimated_cost` (DeepInfra), an object `cost` (Perplexity), `billing` (OpenAI).
 */

const COST_NAME = /cost|pric(e|ing)|byok|billing|credits/i;
/** Members that say on whose servers an answer was made: the model's name alone says what answered (7). */
const WHOSE: ReadonlySet<string> = new Set(["provider", "provider_name", "provider_metadata", "openrouter_metadata"]);
/** One of these stands in each frame of a stream that may have such a member. */
const SIGNS = ["cost", '"provider', "billing", "_metadata", "pric", "byok", "credits"].map((sign) => Buffer.from(sign));

/** Whether a frame is worth parsing to look for what a vendor says of its costs. Cheap enough for each frame that is not alike the last. */
export function mayTellCosts(frame: Buffer): boolean {
  for (const sign of SIGNS) if (frame.indexOf(sign) !== -1) return true;
  return false;
}

/** The names that were judged before: the members of vendors' answers, of which there are few. */
const JUDGED = new Map<string, boolean>();
const MOST_JUDGED = 1_000;

function isCostName(name: string): boolean {
  const judged = JUDGED.get(name);
  if (judged !== undefined) return judged;
  const is_cost = COST_NAME.test(name);
  // A vendor that makes up names fills the table once, and its later names are judged each time.
  if (JUDGED.size < MOST_JUDGED && name.length <= 64) JUDGED.set(name, is_cost);
  return is_cost;
}

/** A usage without what it says of costs, at any depth; the given object where it says nothing. */
export function withoutCosts(usage: JsonRecord): JsonRecord {
  let left: Record<string, unknown> | null = null;
  for (const name in usage) {
    const value = usage[name];
    const kept = isObject(value) ? withoutCosts(value) : value;
    const is_cost = isCostName(name);
    if (!is_cost && kept === value) continue;
    left ??= { ...usage };
    if (is_cost) delete left[name];
    else left[name] = kept;
  }
  return left ?? usage;
}

/** The members of an answer, other than its usage, that say what it cost the operator or who made it, each to be removed. */
export function costMembers(answer: JsonRecord): MemberChange[] {
  let members: MemberChange[] | null = null;
  for (const name in answer) {
    if (!isCostName(name) && !WHOSE.has(name)) continue;
    members ??= [];
    members.push([name, null]);
  }
  return members ?? [];
}

/** What to do with the usage of an answer: nothing, remove it, or put another in its place. */
export type UsageEdit = JsonRecord | null | undefined;

/**
 * The JSON text of the usage that a client sees: a vendor's without its costs, or the given one in its place, and with `cost` as its
 * last member where that is given. Undefined where the vendor's stays as it is sent, null where none is shown. `sent_text` is the vendor's as sent.
 */
export function shownUsage(
  sent: unknown,
  sent_text: () => string | null,
  change: UsageEdit,
  cost: string | undefined,
): string | null | undefined {
  if (change === null) return null;
  const usage = change ?? (isObject(sent) ? sent : null);
  if (usage === null) return undefined;
  const clean = withoutCosts(usage);
  const is_sent = clean === sent;
  if (is_sent && cost === undefined) return undefined;
  const text = (is_sent ? sent_text() : null) ?? JSON.stringify(clean);
  return cost === undefined ? text : withLastMember(text, "cost", JSON.stringify(cost));
}

function withLastMember(object_text: string, name: string, value: string): string {
  const open = object_text.slice(0, object_text.lastIndexOf("}")).trimEnd();
  return `${open}${open.endsWith("{") ? "" : ","}${JSON.stringify(name)}:${value}}`;
}

/**
 * The text of an answer, or of a part of a stream that has a usage, with another usage and with other changes. `null` stands in the
 * place of a usage that is not shown. Every other byte stays. Throws where a member is named twice.
 */
export function rewriteUsage(
  text: string,
  answer: JsonRecord,
  usage: UsageEdit,
  more: { readonly cost?: string | undefined; readonly changes?: readonly MemberChange[] },
): string {
  const members = findMembers(text);
  const shown = shownUsage(answer.usage, () => memberText(text, members, "usage"), usage, more.cost);
  const changes: MemberChange[] = [...costMembers(answer), ...(more.changes ?? [])];
  return replaceMembers(text, shown === undefined ? changes : [...changes, ["usage", shown ?? "null"]], members);
}

/** The same where an answer names a member twice, so that its text cannot be changed: it is written anew, as it was read. */
export function rewriteUsageAnew(answer: JsonRecord, usage: UsageEdit, cost: string | undefined): JsonRecord {
  const clean: Record<string, unknown> = { ...answer };
  for (const [name] of costMembers(answer)) delete clean[name];
  const shown = usage === undefined ? answer.usage : usage;
  if (!isObject(shown)) return shown === undefined ? clean : { ...clean, usage: shown };
  return { ...clean, usage: { ...withoutCosts(shown), ...(cost !== undefined && { cost }) } };
}
