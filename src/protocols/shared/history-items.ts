import { isObject, type JsonRecord, plainText } from "../../core/json.ts";

/**
 * Items of a responses history that stand for work of hosted tools, or of tools that only some vendors know. A target
 * without them gets what they say as text, in their place (docs/rulings.md 80), so that no earlier turn makes a request
 * fail.
 */

/** What the model, or a tool that its vendor runs, did. */
const DONE: ReadonlySet<unknown> = new Set([
  ...["computer_call", "local_shell_call", "shell_call", "apply_patch_call", "code_interpreter_call"],
  ...["file_search_call", "mcp_call", "mcp_approval_request", "program"],
]);
/** What the client, or its user, gave back. */
const GIVEN_BACK: ReadonlySet<unknown> = new Set([
  ...["computer_call_output", "local_shell_call_output", "shell_call_output", "apply_patch_call_output"],
  ...["mcp_approval_response", "program_output"],
]);
/** Items whose outcome is in the text that follows them, or that only set up what a target without them has not. */
const NEEDLESS: ReadonlySet<unknown> = new Set([
  ...["web_search_call", "image_generation_call", "mcp_list_tools", "tool_search_call", "configuration_update"],
]);

/** What becomes of an item at a target without items of its type; null for any other item. */
export function historyRole({ type }: JsonRecord): "assistant" | "user" | "left-out" | null {
  if (DONE.has(type)) return "assistant";
  if (GIVEN_BACK.has(type)) return "user";
  return NEEDLESS.has(type) ? "left-out" : null;
}

/**
 * Members that only mean something to the vendor that wrote them. What they name may be another account's, so it is
 * never sent on (docs/rulings.md 149).
 */
const VENDORS_OWN: ReadonlySet<string> = new Set([
  ...["id", "call_id", "approval_request_id", "container_id", "file_id", "vector_store_id", "caller", "caller_id"],
  ...["fingerprint", "created_by", "pending_safety_checks", "acknowledged_safety_checks"],
]);

/** What an item says, as text no longer than the item's JSON and its type: `[shell_call: {"action":…}]`. */
export function historyText(item: JsonRecord): string {
  const { type, ...said } = item;
  return `[${plainText(type)}: ${JSON.stringify(said, readable)}]`;
}

/** Leaves out what no model can read: ids, and pictures or files as data. */
function readable(name: string, value: unknown): unknown {
  if (VENDORS_OWN.has(name)) return undefined;
  return typeof value === "string" && value.startsWith("data:") ? "(data)" : value;
}

/** Whether what an item says is carried as text. */
export function isCarried({ type }: JsonRecord): boolean {
  return DONE.has(type) || GIVEN_BACK.has(type);
}

/** The items of a responses input that are carried as text where their ids may not be sent on. */
export function historyItems(input: unknown): ReadonlySet<object> {
  const found = new Set<object>();
  if (!Array.isArray(input)) return found;
  for (const item of input as readonly unknown[]) if (isObject(item) && isCarried(item)) found.add(item);
  return found;
}
