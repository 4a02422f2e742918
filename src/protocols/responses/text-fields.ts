/**
 * The place of the text of each kind of delta. A kind `response.x` streams as `response.x.delta` (member `delta`) and
 * ends with `response.x.done` (the whole text, in the member named here).
 */
export interface TextField {
  /** A part of the item's `content` or `summary`, or the item itself. */
  readonly holder: "content" | "summary" | "item";
  /** The member of the holder, and of the done event, that holds the text. */
  readonly field: "text" | "refusal" | "arguments" | "input" | "code";
  /** The part's type, for vendors that send deltas of a part that they never announced. */
  readonly part_type?: string;
}

export const TEXT_FIELDS: ReadonlyMap<string, TextField> = new Map([
  ["response.output_text", { holder: "content", field: "text", part_type: "output_text" }],
  ["response.refusal", { holder: "content", field: "refusal", part_type: "refusal" }],
  ["response.reasoning_text", { holder: "content", field: "text", part_type: "reasoning_text" }],
  ["response.reasoning_summary_text", { holder: "summary", field: "text", part_type: "summary_text" }],
  ["response.function_call_arguments", { holder: "item", field: "arguments" }],
  ["response.custom_tool_call_input", { holder: "item", field: "input" }],
  ["response.mcp_call_arguments", { holder: "item", field: "arguments" }],
  ["response.code_interpreter_call_code", { holder: "item", field: "code" }],
]);

/** The kind of a delta or done event: its type without the last word. */
export function kindOf(type: string): string {
  return type.slice(0, type.lastIndexOf("."));
}
