import type { FunctionTool, GenerationRequest, OutputFormat, SystemMessage } from "../../core/answer/generation.ts";
import type { BlockDelta, BlockEnd, BlockKind, BlockStart, StreamEvent } from "../../core/answer/stream-event.ts";
import type { Emit, EventPass } from "./event-pass.ts";

type BlockEvent = BlockStart | BlockDelta | BlockEnd;

/** A structured answer made with a tool whose arguments are the answer. */
export interface JsonByTool {
  readonly request: GenerationRequest;
  readonly tool_name: string;
}

/**
 * The request with its output format as a tool that the model must call, for targets without the format. If the client
 * has tools, the model must call one of them or the format's tool. `may_force` is false where the target takes no
 * forced choice while it reasons: then an instruction asks the model for the call (docs/rulings.md 73).
 */
export function formatAsTool(
  { format, ...request }: GenerationRequest,
  wanted: Exclude<OutputFormat, { type: "text" }>,
  may_force: boolean,
): JsonByTool {
  const tool = answerTool(wanted, new Set(request.tools.map(({ name }) => name)));
  const has_others = request.tools.length > 0 && request.tool_choice?.mode !== "none";
  const forced = has_others ? ({ mode: "required" } as const) : ({ mode: "named", name: tool.name } as const);
  const messages = may_force ? request.messages : [...request.messages, instruction(tool.name)];
  return {
    tool_name: tool.name,
    request: {
      ...request,
      messages,
      tools: has_others ? [...request.tools, tool] : [tool],
      tool_choice: may_force ? forced : { mode: "auto" },
    },
  };
}

function answerTool(format: Exclude<OutputFormat, { type: "text" }>, taken: ReadonlySet<string>): FunctionTool {
  const described = format.type === "json-schema" ? format.description : undefined;
  let name = "final_answer";
  while (taken.has(name)) name = `${name}_`;
  return {
    kind: "function",
    name,
    description: `Gives the final answer; its arguments are the answer.${described === undefined ? "" : ` ${described}`}`,
    parameters: format.type === "json-schema" ? format.schema : { type: "object", additionalProperties: true },
  };
}

function instruction(name: string): SystemMessage {
  const text = `Give your final answer by calling the tool ${name} once. Write nothing beside it.`;
  return { role: "system", authority: "system", content: [{ type: "text", text }] };
}

/**
 * Turns the call of the format's tool back into the answer's text. Text before the call would spoil the JSON, so it
 * waits, with all that follows it, until it is known whether the call comes; if the call comes, the text is dropped.
 * All content after the call is dropped too.
 */
export class AnswerFromTool implements EventPass {
  readonly #name: string;
  #state: "before" | "waiting" | "answering" | "answered" = "before";
  #waiting: BlockEvent[] = [];
  /** The index of the last block that was sent. */
  #index = -1;

  constructor(name: string) {
    this.#name = name;
  }

  take(event: StreamEvent, emit: Emit): void {
    if (event.type === "start" || event.type === "error") return emit(event);
    if (event.type === "finish") {
      this.#release(emit, () => true);
      return emit(event);
    }
    if (event.type === "block-start") this.#prepare(event.block, emit);
    switch (this.#state) {
      case "before":
        return this.#place(event, emit);
      case "waiting":
        this.#waiting.push(event);
        return;
      case "answering":
        this.#answer(event, emit);
        return;
      case "answered":
        return;
    }
  }

  /** Updates the waiting events for the next block. */
  #prepare(block: BlockKind, emit: Emit): void {
    if (this.#state === "answered") return;
    if (block.kind === "tool-call" && block.name === this.#name) {
      this.#release(emit, (waiting) => waiting.kind !== "text");
      this.#state = "answering";
    } else if (block.kind === "tool-call") {
      this.#release(emit, () => true);
      this.#state = "before";
    } else if (block.kind === "text") this.#state = "waiting";
  }

  /**
   * Passes the call's arguments on as text. A signature of the call is dropped: the client's answer has no place for
   * it.
   */
  #answer(event: BlockEvent, emit: Emit): void {
    if (event.type === "block-start") {
      return this.#place({ type: "block-start", index: event.index, block: { kind: "text" } }, emit);
    }
    if (event.type === "block-delta") return this.#place(event, emit);
    emit({ type: "block-end", index: this.#index });
    this.#state = "answered";
  }

  #release(emit: Emit, keeps: (block: BlockKind) => boolean): void {
    let is_kept = true;
    for (const event of this.#waiting) {
      if (event.type === "block-start") is_kept = keeps(event.block);
      if (is_kept) this.#place(event, emit);
    }
    this.#waiting = [];
  }

  #place(event: BlockEvent, emit: Emit): void {
    if (event.type === "block-start") this.#index++;
    emit(event.index === this.#index ? event : { ...event, index: this.#index });
  }
}
