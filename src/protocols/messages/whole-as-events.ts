import { isObject, type JsonRecord } from "../../core/json.ts";

type Event = Readonly<Record<string, unknown>> & { readonly type: string };

/** The events that would build a whole message: some vendors answer a request for a stream with JSON. */
export function wholeAsEvents(message: JsonRecord): readonly Event[] {
  const { content, stop_reason, stop_sequence, usage } = message;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return [
    { type: "message_start", message: { ...message, content: [], stop_reason: null, stop_sequence: null } },
    ...blocks.filter(isObject).flatMap(blockAsEvents),
    { type: "message_delta", delta: { stop_reason, stop_sequence }, usage },
    { type: "message_stop" },
  ];
}

function blockAsEvents(block: JsonRecord, index: number): readonly Event[] {
  const [content_block, ...deltas] = split(block);
  return [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta): Event => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

/** The start of a block, and the pieces that follow it; other blocks come with their start. */
function split(block: JsonRecord): readonly [JsonRecord, ...JsonRecord[]] {
  switch (block.type) {
    case "text":
      return [
        { ...block, text: "" },
        { type: "text_delta", text: block.text },
      ];
    case "thinking": {
      const { thinking, signature } = block;
      const signed = typeof signature === "string" && signature !== "" ? [{ type: "signature_delta", signature }] : [];
      return [{ ...block, thinking: "", signature: "" }, { type: "thinking_delta", thinking }, ...signed];
    }
    case "tool_use":
      return [
        { ...block, input: {} },
        { type: "input_json_delta", partial_json: JSON.stringify(block.input ?? {}) },
      ];
    default:
      return [block];
  }
}
