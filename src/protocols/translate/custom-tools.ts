import type {
  CustomTool,
  FunctionTool,
  GenerationRequest,
  Message,
  ToolCallPart,
} from "../../core/answer/generation.ts";
import type { StreamEvent } from "../../core/answer/stream-event.ts";
import { isObject } from "../../core/json.ts";
import { parseJson } from "../shared/parse-json.ts";
import type { Emit, EventPass } from "./event-pass.ts";

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

/** The only argument of a function that replaces a custom tool. */
const ARGUMENT = "input";

/** The text before the argument, without white space. White space may stand at these places of it. */
const HEAD = `{"${ARGUMENT}":"`;
const GAPS: ReadonlySet<number> = new Set([0, 1, HEAD.length - 2, HEAD.length - 1]);
const COMPLETE = /[^"\\]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const INCOMPLETE_ESCAPE = /\\(?:u[0-9a-fA-F]{0,3})?$/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: models write them raw, where JSON wants escapes.
const CONTROLS = /[\u0000-\u001f]/g;

/**
 * Reads the text out of `{"input": "…"}` while a model writes it, so that a long input is passed on as it arrives.
 * Arguments of another shape are passed on unchanged once they are whole.
 */
export class StringArgument {
  #state: "head" | "text" | "other" | "done" = "head";
  /** How much of the head was read. */
  #read_of_head = 0;
  /** The pieces of a call of another shape, as far as it was read. */
  readonly #pieces: string[] = [];
  /** JSON that was not read yet: the beginning of an escape. */
  #rest = "";

  /** Takes more of the JSON; returns the text that it adds. */
  push(json: string): string {
    if (this.#state === "done") return "";
    const start = this.#state === "head" ? this.#readHead(json) : 0;
    if (this.#state === "head" || this.#state === "other") {
      this.#pieces.push(json);
      return "";
    }
    return this.#read(this.#rest + json.slice(start));
  }

  /** Returns the remaining text when the arguments are complete. */
  end(): string {
    if (this.#state === "done") return "";
    return this.#state === "text" ? this.#rest : argumentOf(this.#pieces.join(""));
  }

  /** Reads the head, or finds that the arguments have another shape. Returns where the text begins. */
  #readHead(json: string): number {
    for (let at = 0; at < json.length; at++) {
      const character = json.charAt(at);
      if (character === HEAD.charAt(this.#read_of_head)) this.#read_of_head += 1;
      else if (!GAPS.has(this.#read_of_head) || character.trim() !== "") {
        this.#state = "other";
        return 0;
      }
      if (this.#read_of_head < HEAD.length) continue;
      this.#state = "text";
      return at + 1;
    }
    return 0;
  }

  #read(json: string): string {
    const complete: string[] = [];
    let from = 0;
    let end = endOfComplete(json, from);
    // An escape that JSON does not define is passed on unchanged.
    while (json[end] === "\\" && !isIncompleteEscape(json, end)) {
      complete.push(json.slice(from, end), "\\\\");
      from = end + 1;
      end = endOfComplete(json, from);
    }
    complete.push(json.slice(from, end));
    if (json[end] === '"') this.#state = "done";
    this.#rest = json.slice(end);
    const text = complete.join("").replace(CONTROLS, (control) => JSON.stringify(control).slice(1, -1));
    return JSON.parse(`"${text}"`) as string;
  }
}

/** The position, from `from` on, at which the string ends or an incomplete or invalid escape begins. */
function endOfComplete(json: string, from: number): number {
  COMPLETE.lastIndex = from;
  let end = from;
  while (COMPLETE.test(json)) end = COMPLETE.lastIndex;
  return end;
}

function isIncompleteEscape(json: string, at: number): boolean {
  INCOMPLETE_ESCAPE.lastIndex = at;
  return INCOMPLETE_ESCAPE.test(json);
}

/** The argument of a whole call; the call itself where it has another shape. */
function argumentOf(json: string): string {
  try {
    const value: unknown = parseJson(json);
    if (isObject(value) && typeof value[ARGUMENT] === "string") return value[ARGUMENT];
  } catch {
    // The model's text is passed on, whether it is valid JSON or not.
  }
  return json;
}
