import { isObject } from "../../core/json.ts";
import { AGGREGATOR_RULES, type ChargeTable, type Rule, tierRule } from "../shared/charged-members.ts";
import { ChatCompletionRequest } from "./wire-request.ts";

/** A search that the request itself asks for: its findings are in the answer, and no usage counts the search. */
const search: Rule = (value, place) =>
  isObject(value)
    ? { place, what: "a search of the web", calls: { web_search: 1 }, once: true, unpriced: "refuse" }
    : null;

/**
 * The members of a chat completions body that change a charge. Tools are functions or custom tools, which the client
 * runs: neither kind is charged for.
 */
export const CHAT_CHARGES: ChargeTable = {
  code: "unsupported_parameter",
  read: new Set(Object.keys(ChatCompletionRequest.properties)),
  rules: new Map<string, Rule>([
    ["service_tier", tierRule(["auto", "default", "standard"])],
    ["web_search_options", search],
    ...AGGREGATOR_RULES,
  ]),
};
