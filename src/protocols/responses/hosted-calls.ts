import { isObject } from "../../core/json.ts";
import type { CallClass, CallCounts } from "../../core/money/price-classes.ts";

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
