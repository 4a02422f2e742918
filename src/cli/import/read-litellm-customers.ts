import { isTagValue } from "../../core/people/tag-values.ts";
import { type ForeignFile, type ForeignPart, requireList } from "./foreign-file.ts";
import type { Imported, ImportedEndUsers, Note } from "./imported.ts";

type EndUserLimits = Readonly<Record<string, string | number>>;

/** The windows of budgets by LiteLLM's durations; one without a duration never resets. */
export const WINDOWS: Readonly<Record<string, string>> = {
  ...{ "1d": "day", "24h": "day", "7d": "week", "1w": "week", "30d": "month", "1mo": "month" },
};
/** Those of customers may be in words as well. */
const WINDOWS_OF_CUSTOMERS: typeof WINDOWS = { ...WINDOWS, daily: "day", weekly: "week", monthly: "month" };
/** LiteLLM's names of limits, and Camino's. */
export const LIMITS = [
  ["rpm_limit", "rpm"],
  ["tpm_limit", "tpm"],
  ["max_parallel_requests", "concurrent"],
] as const;

/** Reads LiteLLM's list of customers (`GET /customer/list`): what each end user may use. */
export function readLiteLlmCustomers(file: ForeignFile): Imported {
  const notes: Note[] = [];
  const listed = file.root.get("data")?.elements ?? file.root.elements;
  requireList(listed, "customers: it should be what LiteLLM's GET /customer/list answers");
  const values = new Map<string, EndUserLimits>();
  for (const part of listed) {
    const id = part.get("user_id")?.text() ?? "";
    const skip = (why: string) => notes.push({ line: part.line, text: `the customer ${id}: ${why}` });
    if (!isTagValue(id)) {
      skip("its id is no value of a tag (1 to 100 characters), so it counts by a part of its hash");
      continue;
    }
    if (part.get("blocked")?.text() === "true") skip("it is blocked; refuse it in your program");
    const budget = part.get("litellm_budget_table");
    const limits = budget === null ? {} : limitsIn(budget, skip);
    if (Object.keys(limits).length > 0) values.set(id, limits);
  }
  return { groups: [], aliases: new Map(), keys: [], vendors: [], notes, end_users: { limits: {}, values } };
}

function limitsIn(budget: ForeignPart, skip: (why: string) => void): EndUserLimits {
  const limits: Record<string, string | number> = {};
  for (const [key, name] of LIMITS) {
    const count = Number(budget.get(key)?.number()?.text ?? Number.NaN);
    if (Number.isSafeInteger(count) && count > 0) limits[name] = count;
  }
  const amount = budget.get("max_budget")?.number()?.text ?? null;
  const duration = budget.get("budget_duration")?.text() ?? null;
  const window = duration === null ? "once" : (WINDOWS_OF_CUSTOMERS[duration] ?? null);
  if (amount !== null && window !== null) limits.budget = `${amount}/${window}`;
  else if (amount !== null)
    skip(`its budget of ${amount} in ${duration}: Camino's are for a day, a week, a month or once`);
  return limits;
}

/** What `litellm_settings` gives every end user (`max_end_user_budget`); null: nothing. */
export function endUserDefaults(settings: ForeignPart | null): ImportedEndUsers | null {
  const amount = settings?.get("max_end_user_budget")?.number()?.text ?? null;
  return amount === null ? null : { limits: { budget: `${amount}/once` }, values: new Map() };
}
