import type {
  CustomTool,
  FunctionTool,
  GenerationRequest,
  Message,
  ToolCallPart,
} from "../../core/answer/generation.ts";
import type { StreamEvent } from "../../core/answer/stream-event.ts";
import type { Emit, EventPass } from "./event-pass.ts";
import { ARGUMENT, StringArgument } from "./string-argument.ts";

/** The request with its custom tools, and the calls of them, as functions with one string argument (docs/rulings.md 11). */
export function customToolsAsFunctions(request: GenerationRequest): GenerationRequest {
  return {
    ...request,
    tools: request.tools.map((tool) => (tool.kind === "custom" ? asFunction(tool) : tool)),
    messages: request.messages.map(withFunctionCalls),
  };
}

export function customToolNames(request: GenerationRequest): ReadonlySet<string> {
  return new Set(request.tools.filter((tool) => tool.kind === "custom").map((tool) => tool.name));
}

function asFunction({ name, description, format }: CustomTool): FunctionTool {
  const input = { type: "string", description: inputDescription(format) };
  return {
    kind: "function",
    name,
    ...(description !== undefined && { description }),
    parameters: {
      type: "object",
      properties: { [ARGUMENT]: input },
      required: [ARGUMENT],
      additionalProperties: false,
    },
  };
}

/** A description of the required form of the text, for a vendor that has no grammars. */
function inputDescription(format: CustomTool["format"]): string {
  const definition = format?.definition;
  if (typeof definition !== "string") return "The tool's whole input, as plain text.";
  const syntax = typeof format?.syntax === "string" ? `${format.syntax} ` : "";
  return `The tool's whole input, as plain text that this ${syntax}grammar accepts:\n${definition}`;
}

function withFunctionCalls(message: Message): Message {
  if (message.role !== "assistant" || !message.content.some(isCustomCall)) return message;
  return { ...message, content: message.content.map((part) => (isCustomCall(part) ? asFunctionCall(part) : part)) };
}

function isCustomCall(part: { readonly type: string; readonly kind?: string }): part is ToolCallPart {
  return part.type === "tool-call" && part.kind === "custom";
}

function asFunctionCall(call: ToolCallPart): ToolCallPart {
  return { ...call, kind: "function", arguments: JSON.stringify({ [ARGUMENT]: call.arguments }) };
}

/**
 * Turns calls of the functions that stand for custom tools back into calls of custom tools, and passes their text on as
 * it arrives.
 */
export class FunctionCallsAsCustom implements EventPass {
  readonly #names: ReadonlySet<string>;
  #argument: StringArgument | null = null;

  constructor(names: ReadonlySet<string>) {
    this.#names = names;
  }

  take(event: StreamEvent, emit: Emit): void {
    if (event.type === "block-start") {
      const { block } = event;
      if (block.kind !== "tool-call" || !this.#names.has(block.name)) return emit(event);
      this.#argument = new StringArgument();
      return emit({ ...event, block: { ...block, tool: "custom" } });
    }
    if (this.#argument === null) return emit(event);
    if (event.type === "block-delta") {
      const text = this.#argument.push(event.text);
      if (text !== "") emit({ ...event, text });
      return;
    }
    if (event.type === "block-end") {
      const text = this.#argument.end();
      if (text !== "") emit({ type: "block-delta", index: event.index, text });
      this.#argument = null;
    }
    emit(event);
  }
}
