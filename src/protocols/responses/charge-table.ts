import { isObject, type JsonRecord, plainText } from "../../core/json.ts";
import type { CallClass } from "../../core/money/price-classes.ts";
import {
  AGGREGATOR_RULES,
  type ChargeTable,
  neverPriced,
  type Rule,
  type ToolCharge,
  tierRule,
  toolsRule,
} from "../shared/charged-members.ts";
import { ResponsesRequest } from "./wire-request.ts";

/** Tools that the client runs, or that cost tokens only. */
const FREE: ReadonlySet<string> = new Set([
  ...["function", "custom", "namespace", "local_shell", "apply_patch", "tool_search", "mcp"],
  ...["computer", "computer_use_preview"],
]);

/**
 * The vendor's own tools, with the price class of their calls. A dated type, `web_search_preview_2025_03_11`, has the
 * class of the type without its date.
 */
const CALLED: readonly (readonly [RegExp, CallClass])[] = [
  [/^web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/, "web_search"],
  [/^file_search$/, "file_search"],
  [/^code_interpreter$/, "code_interpreter"],
  [/^x_search$/, "x_search"],
  [/^collections_search$/, "collections_search"],
];

/** How many calls of each of the vendor's tools the hold covers when the request sets no `max_tool_calls`. */
export const CALLS_HELD = 10;

function chargeOf(tool: JsonRecord, { max_tool_calls: cap }: JsonRecord): ToolCharge {
  const type = plainText(tool.type);
  if (FREE.has(type)) return "free";
  // A shell runs at the client, or in a container of the vendor's, for which the vendor charges.
  if (type === "shell") return isObject(tool.environment) && tool.environment.type !== "local" ? null : "free";
  const called = CALLED.find(([pattern]) => pattern.test(type));
  if (called === undefined) return null;
  const most = typeof cap === "number" && Number.isInteger(cap) && cap >= 0 ? Math.min(cap, 10_000) : CALLS_HELD;
  return { calls: called[1], most };
}

const CODE = "unsupported_responses_feature";
const tools = toolsRule(CODE, chargeOf);

/** Items of the conversation may bring tools too, each in a list of its own. */
const input: Rule = (value, place, body) => {
  if (!Array.isArray(value)) return null;
  const found = value.flatMap((item, index) =>
    isObject(item) && Array.isArray(item.tools)
      ? [tools(item.tools, `${place}[${index}].tools`, body) ?? []].flat()
      : [],
  );
  return found.length === 0 ? null : found;
};

/** The members of a responses request's body that can change its charge. */
export const RESPONSES_CHARGES: ChargeTable = {
  code: CODE,
  read: new Set(Object.keys(ResponsesRequest.properties)),
  rules: new Map<string, Rule>([
    ["service_tier", tierRule(["auto", "default", "standard"])],
    // A discount for answers that are fetched hours later, which are not offered here (docs/rulings.md 54).
    ["background_options", neverPriced("leave-out")],
    ["tools", tools],
    ["input", input],
    ...AGGREGATOR_RULES,
  ]),
};
