import { isObject } from "../../core/json.ts";
import type { ChargedMember } from "../../core/money/charges.ts";
import type { CallClass } from "../../core/money/price-classes.ts";
import { AGGREGATOR_RULES, type ChargeTable, type Rule, tierRule, toolWords } from "../shared/charged-members.ts";
import { GenerateContentRequest } from "./wire-request.ts";

/** Tools that the client runs, and the vendor's that cost tokens only: pages that it reads and code that it runs are counted as input. */
const FREE: ReadonlySet<string> = new Set(["functionDeclarations", "urlContext", "codeExecution", "computerUse"]);
const PRICED: Readonly<Record<string, CallClass>> = {
  googleSearch: "web_search",
  googleSearchRetrieval: "web_search",
  enterpriseWebSearch: "web_search",
  googleMaps: "maps_search",
};
/** The number of searches that a hold covers: a request gives no limit. */
const CALLS_HELD = 10;

/** A member of an object in `tools` is a tool of the vendor's; one object may have several. */
const tools: Rule = (value) => {
  if (!Array.isArray(value)) return null;
  const found: ChargedMember[] = [];
  for (const [index, tool] of value.entries()) {
    for (const name of hostedIn(tool)) {
      if (FREE.has(name)) continue;
      const calls = PRICED[name];
      const member = { place: `tools[${index}].${name}`, what: toolWords(name), unpriced: "leave-out" as const };
      found.push(calls === undefined ? member : { ...member, calls: { [calls]: CALLS_HELD } });
    }
  }
  return found;
};

/** The names of the vendor's tools in an object of `tools`. */
export function hostedIn(tool: unknown): string[] {
  if (!isObject(tool)) return [];
  return Object.keys(tool).filter((name) => name !== "functionDeclarations" && (tool[name] ?? null) !== null);
}

/** The members of a request's body that can change its charge. */
export const GEMINI_CHARGES: ChargeTable = {
  code: "invalid_request",
  read: new Set(Object.keys(GenerateContentRequest.properties)),
  rules: new Map<string, Rule>([
    ["serviceTier", tierRule(["unspecified", "standard"])],
    ["tools", tools],
    ...AGGREGATOR_RULES,
  ]),
};
