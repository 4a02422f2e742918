import type { AnswerContext } from "../../core/answer/codec.ts";
import type { Opaque, ReasoningPart } from "../../core/answer/generation.ts";
import type { FinishReason, TokenLogprob } from "../../core/answer/stream-event.ts";
import { isObject } from "../../core/json.ts";
import { isExactNumber, parseExact } from "../shared/exact-json.ts";
import { sealThoughts, type ThoughtSeal } from "./thought-seal.ts";

/** A part of an answer (docs/api.md 4.14). */
export interface AnswerPart {
  readonly text?: string;
  readonly thought?: true;
  readonly functionCall?: { readonly id: string; readonly name: string; readonly args: unknown };
  readonly thoughtSignature?: string;
}

/** Whether the answer shows thoughts: only where the client asked for them (`includeThoughts`). */
export function showsThoughts({ request: { reasoning } }: Pick<AnswerContext, "request">): boolean {
  return reasoning?.show === "auto" || reasoning?.show === "detailed" || reasoning?.show === "concise";
}

/** The reasoning that waits for the part in whose signature it is sealed. */
export class WaitingThoughts {
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
export function argsOf(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    const args = parseExact(text);
    return isObject(args) && !isExactNumber(args) ? args : { input: args };
  } catch {
    return text.trimStart().startsWith("{") ? undefined : { input: text };
  }
}

/** The word for an answer's end. Calls have no word of their own. */
export const FINISH_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: "STOP",
  "tool-calls": "STOP",
  length: "MAX_TOKENS",
  "content-filter": "SAFETY",
  refusal: "SAFETY",
};

/** Log-probabilities in this API's shape, as a member of a candidate; nothing where there are none. */
export function logprobsResult(logprobs: readonly TokenLogprob[] | undefined): object {
  if (logprobs === undefined || logprobs.length === 0) return {};
  const chosenCandidates = logprobs.map(tokenOf);
  const topCandidates = logprobs.map(({ top_logprobs }) => ({ candidates: top_logprobs.map(tokenOf) }));
  const sum = logprobs.reduce((so_far, { logprob }) => so_far + (logprob ?? 0), 0);
  return { avgLogprobs: sum / logprobs.length, logprobsResult: { topCandidates, chosenCandidates } };
}

function tokenOf({ token, logprob }: Pick<TokenLogprob, "token" | "logprob">): object {
  return logprob === null ? { token } : { token, logProbability: logprob };
}
