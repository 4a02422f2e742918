import { isObject, type JsonRecord } from "../../core/json.ts";
import type { CallClass, CallCounts } from "../../core/money/price-classes.ts";
import { totalInput, type Usage } from "../../core/money/usage.ts";
import { shownMedia, shownWrites, styleAUsage, toldWrites, writeDetails } from "../shared/rare-usage.ts";

/**
 * A vendor's usage in disjoint classes: this protocol counts cached tokens inside `input_tokens` (docs/rulings.md 13).
 * Calls of the vendor's own tools are counted from the items of `raw_output` where the usage has no count of them. Null
 * when the usage cannot be believed (docs/rulings.md 44).
 */
export function readUsage(raw: JsonRecord, raw_output: unknown): Usage | null {
  const input_details = details(raw.input_tokens_details);
  const output_details = details(raw.output_tokens_details);
  const { cached_tokens: cache_read = 0 } = input_details;
  const cache_write = input_details.cache_write_tokens ?? 0;
  const writes = toldWrites(writeDetails(raw, input_details), cache_write, "cache_write_tokens");
  const { input_tokens: input, output_tokens: output, total_tokens: total } = raw;
  const { reasoning_tokens: reasoning = 0 } = output_details;
  const counts = { input, cache_read, cache_write, output, reasoning, total };
  const calls = callsIn(raw_output);
  return styleAUsage(counts, { raw, known: KNOWN, input_details, output_details, writes, calls });
}

/** Members of a usage that are read, or do not change the charge. xAI's number of calls is the sum of its details. */
const KNOWN: ReadonlySet<string> = new Set([
  ...["input_tokens", "output_tokens", "total_tokens", "num_server_side_tools_used"],
  ...["input_tokens_details", "output_tokens_details", "server_tool_use", "server_side_tool_usage_details"],
]);

/** A usage in this protocol's shape (docs/api.md 2.5). */
export function writeUsage(usage: Usage) {
  const input_tokens = totalInput(usage);
  return {
    input_tokens,
    input_tokens_details: {
      cached_tokens: usage.cache_read_tokens,
      cache_write_tokens: usage.cache_write_tokens,
      ...shownWrites(usage),
      ...shownMedia(usage, "input"),
    },
    output_tokens: usage.output_tokens,
    output_tokens_details: { reasoning_tokens: usage.reasoning_tokens, ...shownMedia(usage, "output") },
    total_tokens: input_tokens + usage.output_tokens,
  };
}

/**
 * A vendor's usage as the client receives it: the counts are those that are billed, totals are computed and never
 * copied from the vendor, and the details that strict clients read are present. Further fields stay. Null when nothing
 * has to change.
 */
export function correctedUsage(raw: JsonRecord, usage: Usage): Record<string, unknown> | null {
  const shown = writeUsage(usage);
  const input_details = details(raw.input_tokens_details);
  const output_details = details(raw.output_tokens_details);
  const is_right =
    raw.output_tokens === shown.output_tokens &&
    raw.total_tokens === shown.total_tokens &&
    input_details.cached_tokens === usage.cache_read_tokens &&
    output_details.reasoning_tokens === usage.reasoning_tokens;
  if (is_right) return null;
  return {
    ...raw,
    ...shown,
    input_tokens_details: { ...input_details, ...shown.input_tokens_details },
    output_tokens_details: { ...output_details, ...shown.output_tokens_details },
  };
}

function details(value: unknown): JsonRecord {
  return isObject(value) ? value : {};
}

/**
 * Counts the calls of the vendor's own tools among the items of an answer, as OpenAI charges them: each search of the
 * web or the file store, but not the opening of a page that it found, and each container that code ran in. Null when
 * there is no such call.
 */
export function callsIn(output: unknown): CallCounts | null {
  if (!Array.isArray(output)) return null;
  let calls: Partial<Record<CallClass, number>> | null = null;
  let containers: Set<unknown> | null = null;
  const count = (called: CallClass) => {
    calls ??= {};
    calls[called] = (calls[called] ?? 0) + 1;
  };
  for (const item of output) {
    if (!isObject(item)) continue;
    if (item.type === "web_search_call") {
      const action = isObject(item.action) ? item.action.type : undefined;
      if (action !== "open_page" && action !== "find_in_page" && action !== "find") count("web_search");
    } else if (item.type === "file_search_call") count("file_search");
    else if (item.type === "code_interpreter_call") {
      const container = item.container_id ?? null;
      containers ??= new Set();
      if (containers.has(container)) continue;
      containers.add(container);
      count("code_interpreter");
    }
  }
  return calls;
}
