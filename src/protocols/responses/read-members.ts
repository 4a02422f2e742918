import { isObject, type JsonRecord } from "../../core/json.ts";

/**
 * What the official clients read of an answer without asking whether it is there (docs/rulings.md 202), by what holds it:
 * openai-node builds up every stream and checks each event against those before it, openai-python reads the same members.
 * Relay fills in what a vendor leaves out or sends as another kind of value, and changes nothing else. Each member is named
 * with the value that says nothing.
 *
 * Beside these: `type` and `sequence_number` of every event; `item_id`, `output_index`, and `content_index` or
 * `summary_index` of events about items; an added event before whatever belongs to an item or part; ids that stay what they
 * were in all events; every item of the stream in the last event's `output`.
 */

export const RESPONSE_MEMBERS: JsonRecord = { object: "response", created_at: 0, output: [] };

const CALL = { call_id: "", name: "" };

/** By the item's type; beside these, every item has an `id`. Types that are not here pass as they came. */
export const ITEM_MEMBERS: ReadonlyMap<unknown, JsonRecord> = new Map<unknown, JsonRecord>([
  ["message", { role: "assistant", content: [] }],
  ["reasoning", { summary: [] }],
  ["function_call", { ...CALL, arguments: "" }],
  ["custom_tool_call", { ...CALL, input: "" }],
  ["mcp_call", { arguments: "" }],
  ["mcp_list_tools", {}],
  ["web_search_call", {}],
  ["file_search_call", {}],
  ["code_interpreter_call", {}],
  ["image_generation_call", {}],
  ["compaction", {}],
]);

/** By the part's type. */
const PART_MEMBERS: ReadonlyMap<unknown, JsonRecord> = new Map<unknown, JsonRecord>([
  ["output_text", { text: "", annotations: [] }],
  ["refusal", { refusal: "" }],
  ["reasoning_text", { text: "" }],
  ["summary_text", { text: "" }],
]);

/** By the event's name; beside these, every event has a `sequence_number`, and its place. */
const EVENT_MEMBERS: ReadonlyMap<string, JsonRecord> = new Map([
  ["response.output_text.delta", { logprobs: [] }],
  ["response.output_text.done", { logprobs: [] }],
]);

export function missingOfEvent(name: string, told: JsonRecord): JsonRecord {
  const members = EVENT_MEMBERS.get(name);
  return members === undefined ? NONE : Object.fromEntries(missingOf(told, members));
}

const NONE: JsonRecord = {};

/** An object with the members that it lacks; the object itself where it has them all. */
export function filled(told: JsonRecord, members: JsonRecord): JsonRecord {
  const missing = missingOf(told, members);
  return missing.length === 0 ? told : { ...told, ...Object.fromEntries(missing) };
}

function missingOf(told: JsonRecord, members: JsonRecord): readonly (readonly [name: string, value: unknown])[] {
  return Object.entries(members).filter(([name, value]) => !isLike(told[name], value));
}

function isLike(told: unknown, value: unknown): boolean {
  return Array.isArray(value) ? Array.isArray(told) : typeof told === typeof value && told !== null;
}

export function filledPart(part: JsonRecord): JsonRecord {
  return filled(part, PART_MEMBERS.get(part.type) ?? {});
}

/** An item with the names that the client knows it by, its members, and those of its parts. */
export function filledItem(
  item: JsonRecord,
  names: { readonly id: string; readonly call_id: string | null },
): JsonRecord {
  const { id, call_id } = names;
  let whole = item.id === id ? item : { ...item, id };
  if (call_id !== null && whole.call_id !== call_id) whole = { ...whole, call_id };
  whole = filled(whole, ITEM_MEMBERS.get(item.type) ?? {});
  for (const holder of ["content", "summary"] as const) {
    const parts = whole[holder];
    const is_odd = parts !== undefined && parts !== null && !Array.isArray(parts);
    if (is_odd && ITEM_MEMBERS.has(item.type)) whole = { ...whole, [holder]: [] };
    if (!Array.isArray(parts) || parts.every((part) => isObject(part) && filledPart(part) === part)) continue;
    whole = { ...whole, [holder]: parts.filter(isObject).map(filledPart) };
  }
  return whole;
}

/** Whether an item of this type is called by the client, and has a `call_id` for its result. */
export function isClientCall(type: unknown): boolean {
  return type === "function_call" || type === "custom_tool_call";
}
