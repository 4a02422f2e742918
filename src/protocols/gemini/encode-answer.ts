import type { AnswerBlock, AssembledAnswer } from "../../core/answer/answer.ts";
import type { AnswerContext, StreamEncoder } from "../../core/answer/codec.ts";
import type { Opaque, ReasoningPart } from "../../core/answer/generation.ts";
import type {
  BlockDelta,
  BlockKind,
  FinishEvent,
  FinishReason,
  StreamEvent,
  TokenLogprob,
} from "../../core/answer/stream-event.ts";
import type { GatewayError } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import { styleCError } from "../shared/error-styles.ts";
import { isExactNumber, parseExact } from "../shared/exact-json.ts";
import { wantsArray } from "./addressed-body.ts";
import { AnswerFrames } from "./answer-frames.ts";
import { sealThoughts, type ThoughtSeal } from "./thought-seal.ts";
import { writeUsage } from "./write-usage.ts";

/** A whole answer as `generateContent` gives it (docs/api.md 4.14), equal to what its stream builds. */
export function encodeResponse(answer: AssembledAnswer, context: AnswerContext): string {
  const { blocks, reason, usage, cost, id } = answer;
  const candidate = {
    content: { parts: partsOf(blocks, showsThoughts(context)), role: "model" },
    finishReason: FINISH_REASONS[reason],
    index: 0,
    ...logprobsResult(logprobsOf(blocks)),
  };
  return JSON.stringify({
    candidates: [candidate],
    usageMetadata: writeUsage(usage ?? NO_USAGE, cost),
    modelVersion: context.model,
    responseId: id ?? newId("resp"),
  });
}

function partsOf(blocks: readonly AnswerBlock[], shows_thoughts: boolean): readonly AnswerPart[] {
  const waiting = new WaitingThoughts();
  const parts: AnswerPart[] = [];
  for (const block of blocks) {
    const { text, opaque } = block;
    if (block.kind === "reasoning") {
      if (shows_thoughts && text !== "") parts.push({ text, thought: true });
      waiting.add(text, opaque);
    } else if (block.kind === "tool-call") {
      const args = argsOf(text);
      const { id, name } = block;
      if (args !== undefined) parts.push({ functionCall: { id, name, args }, ...waiting.sealFor(opaque) });
    } else if (text !== "" || opaque !== undefined) parts.push({ text, ...waiting.sealFor(opaque) });
  }
  const rest = waiting.sealFor(undefined);
  // Google's clients take an answer without parts for a broken one, and forget the turn.
  return rest.thoughtSignature !== undefined || parts.length === 0 ? [...parts, { text: "", ...rest }] : parts;
}

function logprobsOf(blocks: readonly AnswerBlock[]) {
  const told = blocks.flatMap(({ logprobs }) => logprobs ?? []);
  return told.length === 0 ? undefined : told;
}

/**
 * Writes an answer as the stream of `streamGenerateContent` (docs/api.md 6.4). A call is one part, as this API has no pieces of calls;
 * each object has a part, as Google's clients take an object without parts for a broken answer.
 */
export class GeminiEncoder implements StreamEncoder {
  readonly #frames: AnswerFrames;
  readonly #shows_thoughts: boolean;
  readonly #model: string;
  readonly #waiting = new WaitingThoughts();
  #block: BlockKind | null = null;
  /** The open reasoning, or the arguments of the open call. */
  #text = "";
  /** Whether the first piece of the open text was sent, which has the seal of the reasoning before it. */
  #has_begun = false;
  /** The end of each object, after its candidate. */
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

/** A part of an answer (docs/api.md 4.14). */
interface AnswerPart {
  readonly text?: string;
  readonly thought?: true;
  readonly functionCall?: { readonly id: string; readonly name: string; readonly args: unknown };
  readonly thoughtSignature?: string;
}

/** Whether the answer shows thoughts: only where the client asked for them (`includeThoughts`). */
function showsThoughts({ request: { reasoning } }: Pick<AnswerContext, "request">): boolean {
  return reasoning?.show === "auto" || reasoning?.show === "detailed" || reasoning?.show === "concise";
}

/** The reasoning that waits for the part in whose signature it is sealed. */
class WaitingThoughts {
  #waiting: ReasoningPart[] = [];

  add(text: string, opaque: Opaque | undefined): void {
    if (text !== "" || opaque !== undefined) this.#waiting.push({ type: "reasoning", text, ...(opaque && { opaque }) });
  }

  /** The signature of the next part, as its member; nothing where it needs none. */
  sealFor(own: Opaque | undefined): { readonly thoughtSignature?: string } {
    const seal: ThoughtSeal = { own: own ?? null, reasoning: this.#waiting };
    this.#waiting = [];
    const thoughtSignature = sealThoughts(seal);
    return thoughtSignature === undefined ? {} : { thoughtSignature };
  }
}

/**
 * The arguments of a call as this API has them; undefined for the beginning of an object, which is no call: the answer was cut within it.
 * Text that is no object is kept under a fixed name.
 */
function argsOf(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    const args = parseExact(text);
    return isObject(args) && !isExactNumber(args) ? args : { input: args };
  } catch {
    return text.trimStart().startsWith("{") ? undefined : { input: text };
  }
}

/** The word for an answer's end. Calls have no word of their own. */
const FINISH_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: "STOP",
  "tool-calls": "STOP",
  length: "MAX_TOKENS",
  "content-filter": "SAFETY",
  refusal: "SAFETY",
};

/** Log-probabilities in this API's shape, as a member of a candidate; nothing where there are none. */
function logprobsResult(logprobs: readonly TokenLogprob[] | undefined): object {
  if (logprobs === undefined || logprobs.length === 0) return {};
  const chosenCandidates = logprobs.map(tokenOf);
  const topCandidates = logprobs.map(({ top_logprobs }) => ({ candidates: top_logprobs.map(tokenOf) }));
  const sum = logprobs.reduce((so_far, { logprob }) => so_far + (logprob ?? 0), 0);
  return { avgLogprobs: sum / logprobs.length, logprobsResult: { topCandidates, chosenCandidates } };
}

function tokenOf({ token, logprob }: Pick<TokenLogprob, "token" | "logprob">): object {
  return logprob === null ? { token } : { token, logProbability: logprob };
}
