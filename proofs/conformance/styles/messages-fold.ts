import { type Fields, fieldsAt, isFields, parseFields, textAt } from "../read-fields.ts";

/** A content block that the deltas read so far have built. */
type Growing = Record<string, unknown>;

/** Joins the events of a stream into a message, as clients do. */
export function foldMessage(events: readonly Fields[]): Fields {
  let message: Fields = {};
  const blocks: Growing[] = [];
  for (const event of events) {
    const at = Number(event.index);
    const open = blocks[at];
    switch (event.type) {
      case "message_start":
        message = fieldsAt(event, "message");
        break;
      case "content_block_start":
        blocks[at] = { ...fieldsAt(event, "content_block") };
        break;
      case "content_block_delta":
        if (open !== undefined) grow(open, fieldsAt(event, "delta"));
        break;
      case "content_block_stop":
        if (open !== undefined) close(open);
        break;
      case "message_delta":
        message = { ...message, ...fieldsAt(event, "delta"), usage: mergedUsage(message.usage, event.usage) };
        break;
    }
  }
  return { ...message, content: blocks };
}

function grow(block: Growing, delta: Fields): void {
  const add = (member: string, text: string) => {
    block[member] = `${typeof block[member] === "string" ? block[member] : ""}${text}`;
  };
  if (delta.type === "text_delta") add("text", textAt(delta, "text"));
  if (delta.type === "thinking_delta") add("thinking", textAt(delta, "thinking"));
  if (delta.type === "signature_delta") add("signature", textAt(delta, "signature"));
  if (delta.type === "input_json_delta") add("input_text", textAt(delta, "partial_json"));
}

/** Parses the joined pieces of a call's input; a call without pieces has an empty object. */
function close(block: Growing): void {
  const { input_text } = block;
  delete block.input_text;
  if (typeof input_text === "string" && input_text !== "") block.input = parseFields(input_text, "a call's input");
}

/** A delta's counts are totals; a count that is null or absent keeps its earlier value. */
function mergedUsage(before: unknown, now: unknown): Fields {
  const said = Object.entries(isFields(now) ? now : {}).filter(([, value]) => value !== null && value !== undefined);
  return { ...(isFields(before) ? before : {}), ...Object.fromEntries(said) };
}
