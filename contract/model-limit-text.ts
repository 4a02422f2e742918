import { amountText, readAmount } from "./amounts.ts";
import type { ModelLimit, ShownModelLimit } from "./keys.ts";

/** Limits by model as people type and read them: `openai/*:rpm=60,budget=5/day` (docs/rulings.md 177). */

const FORM =
  "A limit by model is PATTERN:LIMIT,…, such as openai/*:rpm=60,budget=5/day; limits are rpm, tpm, concurrent and budget.";
const WINDOWS = ["day", "week", "month", "once"] as const;

/** A typed limit, or the sentence that says how one is written. */
export function readModelLimit(text: string): ModelLimit | { readonly problem: string } {
  const [, models = "", written = ""] = /^([^\s,]+):\s*([a-z]+\s*=.+)$/.exec(text.trim()) ?? [];
  if (models === "") return { problem: FORM };
  let limit: ModelLimit = { models };
  for (const each of written.split(",")) {
    const [name = "", value = ""] = each.split("=", 2).map((part) => part.trim());
    if (name in limit && name !== "models") return { problem: `${name} is twice in '${text}'.` };
    const member = name === "budget" ? budgetOf(value) : countOf(name, value);
    if ("problem" in member) return member;
    limit = { ...limit, ...member };
  }
  return limit;
}

function budgetOf(text: string): Pick<ModelLimit, "budget"> | { readonly problem: string } {
  const slash = text.indexOf("/");
  const window = WINDOWS.find((name) => name === text.slice(slash + 1));
  if (slash === -1 || window === undefined)
    return { problem: "A budget is AMOUNT/day, AMOUNT/week, AMOUNT/month or AMOUNT/once, such as 10/day." };
  const amount = readAmount(text.slice(0, slash));
  return "problem" in amount ? amount : { budget: { amount: amount.text, window } };
}

function countOf(name: string, text: string): Partial<ModelLimit> | { readonly problem: string } {
  if (name !== "rpm" && name !== "tpm" && name !== "concurrent") return { problem: FORM };
  const count = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= 1_000_000_000) return { [name]: count };
  return { problem: "A limit is a whole number from 1 to 1000000000." };
}

/** A limit as it is typed. */
export function modelLimitText({ models, rpm, tpm, concurrent, budget }: ShownModelLimit): string {
  const limits = [
    ...(rpm === null ? [] : [`rpm=${rpm}`]),
    ...(tpm === null ? [] : [`tpm=${tpm}`]),
    ...(concurrent === null ? [] : [`concurrent=${concurrent}`]),
    ...(budget === null ? [] : [`budget=${amountText(budget.amount_micro)}/${budget.window}`]),
  ];
  return `${models}:${limits.join(",")}`;
}
