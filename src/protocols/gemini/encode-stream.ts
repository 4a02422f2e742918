import type { AnswerContext, StreamEncoder } from "../../core/answer/codec.ts";
import type { Opaque } from "../../core/answer/generation.ts";
import type { BlockDelta, BlockKind, FinishEvent, StreamEvent } from "../../core/answer/stream-event.ts";
import type { GatewayError } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import { styleCError } from "../shared/error-styles.ts";
import { wantsArray } from "./addressed-body.ts";
import { AnswerFrames } from "./answer-frames.ts";
import {
  type AnswerPart,
  argsOf,
  FINISH_REASONS,
  logprobsResult,
  showsThoughts,
  WaitingThoughts,
} from "./answer-parts.ts";
import { writeUsage } from "./write-usage.ts";

/**
 * Writes an answer as the stream of `streamGenerateContent` (docs/api.md 6.4). A call is one part, as this API has no pieces of calls;
 * each object has a part, as Google's clients take one without for a broken answer.
 */
export class GeminiEncoder implements StreamEncoder {
  readonly #frames: AnswerFrames;
  readonly #shows_thoughts: boolean;
  readonly #model: string;
  readonly #waiting = new WaitingThoughts();
  #block: BlockKind | null = null;
  /** The open reasoning, or the arguments of the open call. */
  #text = "";
  /** Whether the open text has its first piece yet, which has the seal of the reasoning before it. */
  #has_begun = false;
  /** What stands behind the candidate in each object. */
  #tail = "";

  constructor(context: AnswerContext) {
    this.#frames = new AnswerFrames(wantsArray(context.body));
    this.#shows_thoughts = showsThoughts(context);
    this.#model = context.model;
  }

  encode(event: StreamEvent): string {
    switch (event.type) {
      case "block-delta":
        return this.#delta(event);
      case "start":
        this.#tail = `"modelVersion":${JSON.stringify(this.#model)},"responseId":${JSON.stringify(event.id ?? newId("resp"))}}`;
        return "";
      case "block-start":
        this.#block = event.block;
        this.#text = "";
        this.#has_begun = false;
        return "";
      case "block-end":
        return this.#end(event.opaque);
      case "finish":
        return this.#finish(event);
      case "error":
        return "";
    }
  }

  fail(error: GatewayError): string {
    return this.#frames.only(styleCError(error));
  }

  #delta({ text, logprobs }: BlockDelta): string {
    const kind = this.#block?.kind;
    if (kind === "tool-call" || kind === "reasoning") this.#text += text;
    if (kind === "tool-call" || (kind === "reasoning" && !this.#shows_thoughts)) return "";
    if (text === "" && logprobs === undefined) return "";
    if (kind === "reasoning") return this.#part({ text, thought: true });
    const seal = this.#has_begun ? {} : this.#waiting.sealFor(undefined);
    this.#has_begun = true;
    return this.#part({ text, ...seal }, logprobsResult(logprobs));
  }

  #end(opaque: Opaque | undefined): string {
    const block = this.#block;
    this.#block = null;
    if (block?.kind === "reasoning") this.#waiting.add(this.#text, opaque);
    else if (block?.kind === "tool-call") return this.#call(block, opaque);
    else if (opaque !== undefined) return this.#part({ text: "", ...this.#waiting.sealFor(opaque) });
    return "";
  }

  #call({ id, name }: Extract<BlockKind, { kind: "tool-call" }>, opaque: Opaque | undefined): string {
    const args = argsOf(this.#text);
    if (args === undefined) return "";
    return this.#part({ functionCall: { id, name, args }, ...this.#waiting.sealFor(opaque) });
  }

  #part(part: AnswerPart, about: object = {}): string {
    const candidate = JSON.stringify({ content: { parts: [part], role: "model" }, index: 0, ...about });
    return this.#frames.frame(`{"candidates":[${candidate}],${this.#tail}`);
  }

  #finish({ reason, usage, cost }: FinishEvent): string {
    const content = { parts: [{ text: "", ...this.#waiting.sealFor(undefined) }], role: "model" };
    const candidate = JSON.stringify({ content, finishReason: FINISH_REASONS[reason], index: 0 });
    const counts = JSON.stringify(writeUsage(usage ?? NO_USAGE, cost));
    const last = `{"candidates":[${candidate}],"usageMetadata":${counts},${this.#tail}`;
    return this.#frames.frame(last) + this.#frames.end();
  }
}
