import { type Fields, isEmptyObject, isFields, isFullString, parseObject, quote } from "../grammar-values.ts";

/** The rules of one content block, from its start to its end. Each rule returns the problem, or null. */
export class GrammarBlock {
  readonly type: string;
  #json = "";
  #signed = false;

  private constructor(type: string) {
    this.type = type;
  }

  /** The block that an event starts, or the problem with it. */
  static start(block: unknown): GrammarBlock | string {
    if (!isFields(block)) return "'content_block' is no object";
    const problem = checkStart(block);
    return problem ?? new GrammarBlock(String(block.type));
  }

  /** Whether a tool's input is a complete JSON object; it is not where the answer was cut inside it. */
  get is_whole(): boolean {
    return this.#json === "" || parseObject(this.#json) !== null;
  }

  take(delta: unknown): string | null {
    if (!isFields(delta)) return "'delta' is no object";
    switch (delta.type) {
      case "text_delta":
        return this.#checkText(delta, "text", this.type === "text");
      case "citations_delta":
        if (this.type !== "text") return this.#misplaced(delta);
        return isFields(delta.citation) ? null : "'delta.citation' is no object";
      case "thinking_delta":
        if (this.#signed) return "thinking goes on after its signature";
        return this.#checkText(delta, "thinking", this.type === "thinking");
      case "signature_delta":
        return this.#sign(delta);
      case "input_json_delta":
        if (typeof delta.partial_json === "string") this.#json += delta.partial_json;
        return this.#checkText(delta, "partial_json", TOOL_USES.includes(this.type));
      default:
        return `a delta of the type ${quote(delta.type)}`;
    }
  }

  #sign(delta: Fields): string | null {
    if (this.#signed) return "a second signature";
    this.#signed = true;
    if (this.type !== "thinking") return this.#misplaced(delta);
    return isFullString(delta.signature) ? null : "'delta.signature' is no string with something in it";
  }

  #checkText(delta: Fields, member: string, fits: boolean): string | null {
    if (!fits) return this.#misplaced(delta);
    return typeof delta[member] === "string" ? null : `'delta.${member}' is no string`;
  }

  #misplaced({ type }: Fields): string {
    return `a ${String(type)} in a block of the type ${quote(this.type)}`;
  }
}

const TOOL_USES = ["tool_use", "server_tool_use", "mcp_tool_use"];

/** A block starts empty, except for the types that have no deltas. */
function checkStart(block: Fields): string | null {
  const { type } = block;
  if (typeof type !== "string") return `a block of the type ${quote(type)}`;
  if (TOOL_USES.includes(type)) {
    const nameless = ["id", "name"].find((name) => !isFullString(block[name]));
    if (nameless !== undefined) return `'${nameless}' of a ${type} is no string with something in it`;
    return isEmptyObject(block.input) ? null : `'input' of a ${type} is not empty at its start`;
  }
  switch (type) {
    case "text":
      return block.text === "" ? null : "'text' is not empty at its block's start";
    case "thinking":
      return block.thinking === "" && block.signature === "" ? null : "thinking is not empty at its block's start";
    case "redacted_thinking":
      return isFullString(block.data) ? null : "'data' of a redacted_thinking is no string with something in it";
    case "container_upload":
      return null;
    default:
      return type.endsWith("_tool_result") ? null : `a block of the type ${quote(type)}`;
  }
}
