import { isObject, type JsonRecord } from "../../core/json.ts";
import { callIdOf, callNameOf } from "../shared/call-ids.ts";
import { objectIn } from "./object-text.ts";

/**
 * Whether a block's start is content: text and thinking start empty and may stay empty; a block of any other type is
 * content itself.
 */
export function startsWithContent(block: unknown): boolean {
  if (!isObject(block)) return false;
  return (block.type !== "text" || block.text !== "") && (block.type !== "thinking" || block.thinking !== "");
}

/** A block's type; where a vendor leaves it out, it is inferred from the members. */
export function blockType({ type, thinking, data, name, input }: JsonRecord): unknown {
  if (isFilledText(type)) return type;
  if (isFilledText(name) || input !== undefined) return "tool_use";
  if (thinking !== undefined) return "thinking";
  return isFilledText(data) ? "redacted_thinking" : "text";
}

/** The type of a delta; where a vendor leaves it out, it is inferred from the members. Null where none of them is known. */
export function deltaType({ type, text, thinking, partial_json, signature }: JsonRecord): string | null {
  if (isFilledText(type)) return type;
  if (typeof text === "string") return "text_delta";
  if (typeof thinking === "string") return "thinking_delta";
  if (typeof partial_json === "string") return "input_json_delta";
  return typeof signature === "string" ? "signature_delta" : null;
}

function isFilledText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** A vendor's block with the members that official SDKs read without asking; the block itself where it has them. */
export function readableBlock(told: JsonRecord): JsonRecord {
  const type = blockType(told);
  const block = type === told.type ? told : { ...told, type };
  switch (type) {
    case "text":
      return typeof block.text === "string" ? block : { ...block, text: "" };
    case "thinking": {
      const { thinking, signature } = block;
      if (typeof thinking === "string" && typeof signature === "string") return block;
      return { ...block, thinking: textOr(thinking), signature: textOr(signature) };
    }
    case "tool_use":
      return readableCall(block);
    default:
      return block;
  }
}

function textOr(told: unknown): string {
  return typeof told === "string" ? told : "";
}

function readableCall(block: JsonRecord): JsonRecord {
  const { id, name, input } = block;
  const has_id = typeof id === "string" && id !== "";
  if (has_id && typeof name === "string" && isObject(input)) return block;
  const text = typeof input === "string" ? input : input === undefined || input === null ? "" : JSON.stringify(input);
  return {
    ...block,
    id: callIdOf(id, "toolu"),
    name: callNameOf(name),
    input: isObject(input) ? input : objectIn(text),
  };
}

/** The members of a message around its content that clients read, where a vendor left one out. */
export function missingMembers(
  message: JsonRecord,
  model_id: string,
  newMessageId: () => string,
): Record<string, unknown> {
  const missing: Record<string, unknown> = {};
  if (typeof message.id !== "string" || message.id === "") missing.id = newMessageId();
  if (message.type !== "message") missing.type = "message";
  if (typeof message.role !== "string") missing.role = "assistant";
  if (typeof message.model !== "string") missing.model = model_id;
  for (const name of ["stop_reason", "stop_sequence"]) if (message[name] === undefined) missing[name] = null;
  return missing;
}
