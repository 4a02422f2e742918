import type { AppliedRule } from "../../core/people/limit-rules.ts";
import { type CountedRule, type CountedRules, ruleId } from "./working-set.ts";

/**
 * The rules of limits that count a request, as its row has them (docs/rulings.md 176, 177). The names of a key's rules differ in their last word alone, so what
 * they begin with is written once: `{"key_1 model ":["openai/*","*"],"account tag ":[["customer","acme"]]}`.
 */

/** A rule's last word, with its value where it has one. */
type RuleEnding = string | readonly [last: string, value: string];

/** One list comes again and again, as a term of a key's admissions (store/record/operations.ts), and is of one account. */
const counted = new WeakMap<readonly AppliedRule[], CountedRules>();

/** What counts the requests that bring these rules. */
export function countedOf(account_id: string, rules: readonly AppliedRule[]): CountedRules {
  let found = counted.get(rules);
  if (found === undefined) {
    found = { ids: rules.map(({ rule, value }) => ruleId(account_id, rule, value)), text: writeRules(rules) };
    counted.set(rules, found);
  }
  return found;
}

function writeRules(rules: readonly AppliedRule[]): string {
  const written: Record<string, RuleEnding[]> = {};
  for (const { rule, value } of rules) {
    const last_at = rule.lastIndexOf(" ") + 1;
    const last = rule.slice(last_at);
    const beginning = rule.slice(0, last_at);
    const ending: RuleEnding = value === "" ? last : [last, value];
    written[beginning] = [...(written[beginning] ?? []), ending];
  }
  return JSON.stringify(written);
}

/** The rules that a request's row names. */
export function readRules(text: string): CountedRule[] {
  const written = JSON.parse(text) as Readonly<Record<string, readonly RuleEnding[]>>;
  return Object.entries(written).flatMap(([beginning, endings]) =>
    endings.map((ending): CountedRule => {
      const [last, value] = typeof ending === "string" ? [ending, ""] : ending;
      return [beginning + last, value];
    }),
  );
}

/** What counts a request, of its row. */
export function readCountedRules(account_id: string, text: string | null): CountedRules | null {
  if (text === null) return null;
  return { ids: readRules(text).map(([rule, value]) => ruleId(account_id, rule, value)), text };
}
