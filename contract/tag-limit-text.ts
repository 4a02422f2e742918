import { amountText, readAmount } from "./amounts.ts";
import type { ShownTagLimit, TagLimit, TagValue } from "./tag-limits.ts";
import { TAG_NAME_PATTERN } from "./tag-rules.ts";

/** Limits by tag as people type and read them: `customer=required,5/day,rpm=60` (docs/rulings.md 176). */

const FORM =
  "A limit by tag is TAG=LIMIT,…, such as customer=5/day,rpm=60; limits are required, budget, rpm, tpm and concurrent.";
const VALUE_FORM =
  "A value's own limit is TAG:VALUE=LIMIT,…, such as customer:big-corp=500/day,rpm=600; TAG:VALUE=none takes it away.";
const LIMIT = "(?:rpm|tpm|concurrent)=\\d{1,10}|(?:budget=)?[\\d.]+/(?:day|week|month|once)";
const LIMIT_OF_TAG = new RegExp(`^(${TAG_NAME_PATTERN})=((?:(?:${LIMIT}|required)(?:,|$))+)$`);
const LIMIT_OF_VALUE = new RegExp(`^(${TAG_NAME_PATTERN}):(.+?)=((?:(?:${LIMIT})(?:,|$))+|none)$`);

interface Problem {
  readonly problem: string;
}
type Limits = Omit<TagLimit, "tag">;

/** A typed limit, or the sentence that says how one is written. */
export function readTagLimit(text: string): TagLimit | Problem {
  const [, tag = "", written = ""] = LIMIT_OF_TAG.exec(text.trim()) ?? [];
  if (tag === "") return { problem: FORM };
  const limits = readLimits(written);
  return "problem" in limits ? limits : { tag, ...limits };
}

/** A value with its own limits (null: none), or the sentence that says how they are written. */
export function readTagValueLimit(
  text: string,
): { readonly tag: string; readonly value: string; readonly limits: Limits | null } | Problem {
  const [, tag = "", value = "", written = ""] = LIMIT_OF_VALUE.exec(text.trim()) ?? [];
  if (tag === "") return { problem: VALUE_FORM };
  if (written === "none") return { tag, value, limits: null };
  const limits = readLimits(written);
  return "problem" in limits ? limits : { tag, value, limits };
}

function readLimits(written: string): Limits | Problem {
  let limits: Limits = {};
  for (const each of written.split(",").filter((part) => part !== "")) {
    const member = readMember(each);
    if ("problem" in member) return member;
    const [name = ""] = Object.keys(member);
    if (name in limits) return { problem: `${name} is twice in '${written}'.` };
    limits = { ...limits, ...member };
  }
  return limits;
}

function readMember(text: string): Limits | Problem {
  if (text === "required") return { required: true };
  const [name = "", value = ""] = text.includes("=") ? text.split("=", 2) : ["budget", text];
  if (name !== "budget") {
    const count = Number(value);
    return count >= 1 && count <= 1_000_000_000
      ? { [name]: count }
      : { problem: "A limit is a whole number from 1 to 1000000000." };
  }
  const [typed = "", window] = value.split("/", 2);
  const amount = readAmount(typed);
  if ("problem" in amount) return amount;
  return { budget: { amount: amount.text, window: window as "day" } };
}

/** A limit as it is typed. */
export function tagLimitText({ tag, required, ...limits }: ShownTagLimit): string {
  return `${tag}=${[...(required ? ["required"] : []), ...limitTexts(limits)].join(",")}`;
}

/** Limits as they are typed, each for itself. */
export function limitTexts({ rpm, tpm, concurrent, budget }: Pick<TagValue, "rpm" | "tpm" | "concurrent" | "budget">) {
  return [
    ...(budget === null ? [] : [`${amountText(budget.amount_micro)}/${budget.window}`]),
    ...(rpm === null ? [] : [`rpm=${rpm}`]),
    ...(tpm === null ? [] : [`tpm=${tpm}`]),
    ...(concurrent === null ? [] : [`concurrent=${concurrent}`]),
  ];
}
