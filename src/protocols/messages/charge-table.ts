import { type JsonRecord, plainText } from "../../core/json.ts";
import {
  AGGREGATOR_RULES,
  type ChargeTable,
  quoted,
  type Rule,
  type ToolCharge,
  tierRule,
  toolsRule,
} from "../shared/charged-members.ts";
import { MessagesRequest } from "./wire-request.ts";

/**
 * Tools that the client runs, and the vendor's tools that cost tokens only. A toolset (`browser_toolset_20260801`) is one
 * declaration of many tools that the client runs, whatever it is for and whenever it was made.
 */
const FREE = /^(bash|text_editor|computer|memory|web_fetch|tool_search_tool(_regex|_bm25)?|[a-z]+_toolset)(_\d{8})?$/;
/** The number of searches that a hold covers where the request gives no limit. */
const CALLS_HELD = 10;

function chargeOf(tool: JsonRecord): ToolCharge {
  const { type, max_uses } = tool;
  if (type === undefined || type === null || type === "custom" || FREE.test(plainText(type))) return "free";
  if (/^web_search_\d{8}$/.test(plainText(type))) {
    const is_count = typeof max_uses === "number" && Number.isInteger(max_uses) && max_uses >= 0;
    return { calls: "web_search", most: is_count ? Math.min(max_uses, 10_000) : CALLS_HELD };
  }
  // No usage counts this tool, so it is charged once for each request that offers it.
  if (/^code_execution_\d{8}$/.test(plainText(type))) return { calls: "code_execution", most: 1, once: true };
  return null;
}

const speed: Rule = (value, place) =>
  typeof value !== "string" || value === "standard"
    ? null
    : { place, what: `the speed ${quoted(value)}`, asks: { speed: value }, unpriced: "leave-out" };

/**
 * A client that sets the place of computation may have promised it to others, so the place is kept or the request is
 * refused.
 */
const residency: Rule = (value, place) =>
  typeof value !== "string" || value === "global"
    ? null
    : { place, what: `the place ${quoted(value)}`, asks: { residency: value }, unpriced: "refuse" };

/**
 * The members of a messages request's body that can change its charge. Betas (`anthropic-beta`) only allow members and
 * tools, which this table judges themselves. A context of a million tokens is priced by the model's tiers, an hour's
 * cache by its price class.
 */
export const MESSAGES_CHARGES: ChargeTable = {
  code: "invalid_request",
  read: new Set(Object.keys(MessagesRequest.properties)),
  rules: new Map<string, Rule>([
    ["service_tier", tierRule(["auto", "standard_only", "standard"])],
    ["speed", speed],
    ["inference_geo", residency],
    ["tools", toolsRule("invalid_request", chargeOf)],
    ...AGGREGATOR_RULES,
  ]),
};
