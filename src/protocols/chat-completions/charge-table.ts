import { isObject } from "../../core/json.ts";
import { AGGREGATOR_RULES, type ChargeTable, type Rule, tierRule } from "../shared/charged-members.ts";
import { ChatCompletionRequest } from "./wire-request.ts";

/** A search that the request itself asks for: the answer has its findings, and no usage counts it. */
const search: Rule = (value, place) =>
  isObject(value)
    ? { place, what: "a search of the web", calls: { web_search: 1 }, once: true, unpriced: "refuse" }
    : null;

/** What in a chat completion's body changes a charge. Tools are functions or the client's own: neither is charged for. */
export const CHAT_CHARGES: ChargeTable = {
  code: "unsupported_parameter",
  read: new Set(Object.keys(ChatCompletionRequest.properties)),
  rules: new Map<string, Rule>([
    ["service_tier", tierRule(["auto", "default", "standard"])],
    ["web_search_options", search],
    ...AGGREGATOR_RULES,
  ]),
};
