import { isObject } from "../../core/json.ts";

/**
 * The ids of input items that the client sent without one: made from the response's key and the item's position, so
 * that no id needs to be stored. The key is a keyed hash, which discloses nothing.
 */
export interface InputItemPlace {
  readonly response_key: string;
  readonly index: number;
}

const PREFIXES: Readonly<Record<string, string>> = {
  message: "msg",
  function_call: "fc",
  function_call_output: "fco",
  custom_tool_call: "ctc",
  custom_tool_call_output: "ctco",
  reasoning: "rs",
};
const ID = /^[a-z]+_([0-9a-f]{32})([0-9a-z]{2,5})$/;

/** The id of an input item: its own where it has one. */
export function inputItemId(item: unknown, { response_key, index }: InputItemPlace): string {
  if (!isObject(item)) return `item_${response_key}${placeText(index)}`;
  if (typeof item.id === "string" && item.id !== "") return item.id;
  const prefix = PREFIXES[typeof item.type === "string" ? item.type : "message"] ?? "item";
  return `${prefix}_${response_key}${placeText(index)}`;
}

function placeText(index: number): string {
  return index.toString(36).padStart(2, "0");
}

/** The place that such an id names; null for an id of another kind. */
export function placeOfInputItem(id: string): InputItemPlace | null {
  const [, response_key, place] = ID.exec(id) ?? [];
  if (response_key === undefined || place === undefined) return null;
  return { response_key, index: Number.parseInt(place, 36) };
}
