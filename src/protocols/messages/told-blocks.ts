import { isObject } from "../../core/json.ts";
import { callIdOf, callNameOf } from "../shared/told-call.ts";
import { inputOf } from "./tool-input.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Whether a block's start is content: text and thinking start empty and may stay empty; a block of any other type is
 * content itself.
 */
export function startsWithContent(block: unknown): boolean {
  if (!isObject(block)) return false;
  return (block.type !== "text" || block.text !== "") && (block.type !== "thinking" || block.thinking !== "");
}

/** A vendor's block with the members that official SDKs read without asking; the block itself where it has them. */
export function readableBlock(block: Fields): Fields {
  switch (block.type) {
    case "text":
      return typeof block.text === "string" ? block : { ...block, text: "" };
    case "thinking": {
      const { thinking, signature } = block;
      if (typeof thinking === "string" && typeof signature === "string") return block;
      return { ...block, thinking: thinking ?? "", signature: signature ?? "" };
    }
    case "tool_use":
      return readableCall(block);
    default:
      return block;
  }
}

function readableCall(block: Fields): Fields {
  const { id, name, input } = block;
  const has_id = typeof id === "string" && id !== "";
  if (has_id && typeof name === "string" && isObject(input)) return block;
  const text = typeof input === "string" ? input : input === undefined || input === null ? "" : JSON.stringify(input);
  return {
    ...block,
    id: callIdOf(id, "toolu"),
    name: callNameOf(name),
    input: isObject(input) ? input : inputOf(text),
  };
}

/** The members of a message around its content that clients read, where a vendor left one out. */
export function missingMembers(message: Fields, model_id: string, newMessageId: () => string): Record<string, unknown> {
  const missing: Record<string, unknown> = {};
  if (typeof message.id !== "string" || message.id === "") missing.id = newMessageId();
  if (message.type !== "message") missing.type = "message";
  if (typeof message.role !== "string") missing.role = "assistant";
  if (typeof message.model !== "string") missing.model = model_id;
  for (const name of ["stop_reason", "stop_sequence"]) if (message[name] === undefined) missing[name] = null;
  return missing;
}
