import type { GenerationRequest, SystemMessage } from "../../core/answer/generation.ts";
import type { StreamEvent } from "../../core/answer/stream-event.ts";
import type { Emit, EventPass } from "./event-pass.ts";

const INSTRUCTION: SystemMessage = {
  role: "system",
  authority: "system",
  content: [
    {
      type: "text",
      text: "Your answer is one JSON object and nothing else: no words before or behind it, and no code fence around it.",
    },
  ],
};

/**
 * The request with an instruction in place of its format, for JSON without a schema where the target has no such format
 * (docs/rulings.md 198): a tool that takes any object makes models call it with nothing, or with keys of their own. It
 * stands behind the instructions that come first, where it stays as the conversation grows.
 */
export function jsonByWords({ format: _, ...request }: GenerationRequest): GenerationRequest {
  const first = request.messages.findIndex(({ role }) => role !== "system");
  const at = first === -1 ? request.messages.length : first;
  return { ...request, messages: request.messages.toSpliced(at, 0, INSTRUCTION) };
}

const FENCE = "```";
/** The end of a fence with white space around it takes no more characters. */
const LONGEST_END = 16;
/** So does its beginning, with the name of a language. */
const LONGEST_BEGINNING = 24;

/** Takes a code fence away from around a text: some models write one all the same. */
export class WithoutFence implements EventPass {
  #state: "beginning" | "fenced" | "plain" = "plain";
  #held = "";

  take(event: StreamEvent, emit: Emit): void {
    if (event.type === "block-start") {
      this.#state = event.block.kind === "text" ? "beginning" : "plain";
      this.#held = "";
    } else if (event.type === "block-delta" && this.#state !== "plain") {
      this.#held += event.text;
      const text = this.#release();
      if (text !== "") emit({ ...event, text });
      return;
    } else if (event.type === "block-end" && this.#held !== "") {
      const text = this.#state === "fenced" ? this.#held.replace(/\s*```\s*$/, "") : this.#held;
      this.#held = "";
      if (text !== "") emit({ type: "block-delta", index: event.index, text });
    }
    emit(event);
  }

  #release(): string {
    if (this.#state === "beginning") {
      const said = this.#held.trimStart();
      const may_be_fence = said.startsWith(FENCE) || FENCE.startsWith(said);
      const line = said.indexOf("\n");
      if (may_be_fence && line === -1 && this.#held.length <= LONGEST_BEGINNING) return "";
      this.#state = may_be_fence && line !== -1 ? "fenced" : "plain";
      if (this.#state === "fenced") this.#held = said.slice(line + 1);
    }
    const kept = this.#state === "fenced" ? (/[\s`]{0,16}$/.exec(this.#held)?.[0].length ?? 0) : 0;
    const text = this.#held.slice(0, this.#held.length - Math.min(kept, LONGEST_END));
    this.#held = this.#held.slice(text.length);
    return text;
  }
}
