import type { AssembledAnswer } from "../core/answer/answer.ts";
import type { TokenLogprob } from "../core/answer/stream-event.ts";
import { GatewayError } from "../core/errors.ts";
import { labelReader } from "./labels.ts";

/** The labels' probabilities in the answer to one call. */
export interface LabelReading {
  /** The natural logarithm of each label's probability, in the order of the labels; always finite. */
  readonly log_probabilities: readonly number[];
  /** The sum of the shown labels' probabilities, before they are scaled to sum to 1. */
  readonly mass: number;
}

/**
 * Thrown where the vendor says that the model declined: that is an answer to the question, not a failure
 * (docs/rulings.md 39).
 */
export class ModelRefusal extends Error {
  override readonly name = "ModelRefusal";
  readonly reason: string | null;

  constructor(reason: string | null) {
    super(reason ?? "The model declined.");
    this.reason = reason;
  }
}

/** Smaller probabilities are noise: a vendor's numbers are sums of 32-bit floats. */
const LEAST = 1e-10;

/**
 * Reads the labels' probabilities from the log-probabilities of the first token; spellings of one label are summed.
 * Throws a ModelRefusal, or `upstream_invalid_response` when there is nothing to read.
 */
export function readLabels(answer: AssembledAnswer, labels: readonly string[]): LabelReading {
  const shown = shownTokens(firstToken(answer));
  const labelOf = labelReader(labels);
  const sums = labels.map(() => 0);
  for (const [token, probability] of shown) {
    const label = labelOf(token);
    if (label !== null) sums[label] = (sums[label] ?? 0) + probability;
  }
  const mass = sums.reduce((sum, probability) => sum + probability, 0);
  if (mass === 0) throw invalid("none of the labels that it was asked to choose from is among its likely next tokens");
  const unseen = probabilityOfUnseen([...shown.values()], sums.filter((sum) => sum === 0).length);
  const log_probabilities = sums.map((sum) => Math.log(Math.max(sum === 0 ? unseen : sum, LEAST)));
  return { log_probabilities, mass: Math.min(mass, 1) };
}

/**
 * The probability of a label that is not among the shown tokens. It is at most that of the least likely shown token,
 * and all such labels share at most the remaining probability. Half of that bound has the smallest worst error
 * (docs/rulings.md 100).
 */
function probabilityOfUnseen(shown: readonly number[], labels: number): number {
  const left = Math.max(1 - shown.reduce((sum, probability) => sum + probability, 0), 0);
  return Math.min(Math.min(...shown), left / Math.max(labels, 1)) / 2;
}

/** Whether the vendor says that the model declined. */
export function isRefusal({ blocks, reason }: AssembledAnswer): boolean {
  return reason === "refusal" || blocks.some(({ kind }) => kind === "refusal");
}

function firstToken(answer: AssembledAnswer): TokenLogprob {
  if (isRefusal(answer)) throw new ModelRefusal(answer.blocks.find(({ kind }) => kind === "refusal")?.text || null);
  const texts = answer.blocks.filter(({ kind }) => kind === "text");
  if (texts.length === 0 && answer.reason === "content-filter") throw invalid("a content filter withheld its answer");
  if (texts.length === 0) throw invalid("its answer has no text (a model that cannot but reason first cannot be used)");
  const token = texts.flatMap(({ logprobs }) => logprobs ?? [])[0];
  if (token === undefined) throw invalid("its answer comes without the log-probabilities that were asked for");
  return token;
}

/** The likeliest tokens with their probabilities, each token once: a vendor may repeat the token that it sampled. */
function shownTokens({ top_logprobs }: TokenLogprob): Map<string, number> {
  const shown = new Map<string, number>();
  for (const { token, logprob } of top_logprobs) {
    if (!Number.isFinite(logprob)) continue;
    shown.set(token, Math.max(shown.get(token) ?? 0, Math.exp(logprob)));
  }
  if (shown.size === 0) throw invalid("its answer shows the log-probabilities of no alternatives (top_logprobs)");
  return shown;
}

function invalid(what: string): GatewayError {
  return new GatewayError("upstream_invalid_response", `The chat model made no decision: ${what}.`);
}
