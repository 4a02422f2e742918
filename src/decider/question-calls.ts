import type { AssembledAnswer } from "../core/answer/answer.ts";
import type { GenerationRequest } from "../core/answer/generation.ts";
import type { ChoiceConstraint } from "../core/catalog/catalog.ts";
import type { Calibration, Debias } from "../core/catalog/decide-with.ts";
import { GatewayError } from "../core/errors.ts";
import { MOST_LABELS } from "./labels.ts";
import type { Listing } from "./listing.ts";
import { isRefusal, readLabels } from "./read-labels.ts";
import { meanOf } from "./softmax.ts";
import type { Material } from "./write-material.ts";
import { writePrompt } from "./write-prompt.ts";

/** Calls the chat model once; rejects with a GatewayError when there is no answer. The request's `model` is empty. */
export type CallModel = (request: GenerationRequest) => Promise<AssembledAnswer>;

export interface EngineSettings {
  readonly debias: Debias;
  /** From 0 to 1: a call with less probability on its labels is discarded. */
  readonly min_label_mass: number;
  readonly calibration: Calibration | null;
  /** How many alternatives the vendor shows; usually 20. */
  readonly top_logprobs: number;
  /** How the vendor constrains output to given texts; null where it cannot. */
  readonly constrain: ChoiceConstraint | null;
}

/** How many options one call lists. At least three, so that no group has a single option. */
export function optionsPerCall(top_logprobs: number): number {
  return Math.max(3, Math.min(top_logprobs, MOST_LABELS));
}

/** How many calls of one question run at once. */
const AT_ONCE = 8;
/** The tokens that a model gets for the reason of a refusal. */
const REASON_TOKENS = 256;

/** The calls for one question. They do not depend on other questions (docs/rulings.md 101). */
export class QuestionCalls {
  readonly #material: Material;
  readonly #instructions: string;
  readonly #settings: EngineSettings;
  readonly #ask: CallModel;
  #calls = 0;
  #least_mass: number | null = null;

  constructor(
    instructions: string,
    material: Material,
    { settings, ask }: { readonly settings: EngineSettings; readonly ask: CallModel },
  ) {
    this.#material = material;
    this.#instructions = instructions;
    this.#settings = settings;
    this.#ask = ask;
  }

  get calls(): number {
    return this.#calls;
  }

  /**
   * The smallest label mass of the calls; null where there was no answer, and where output is constrained to the
   * labels: a vendor may then show the probabilities before or after the constraint.
   */
  get label_mass(): number | null {
    return this.#settings.constrain === null ? this.#least_mass : null;
  }

  /** The log-score of each answer, for each group of listings: one call for each listing, averaged within the group. */
  async scoreGroups(groups: readonly (readonly Listing[])[]): Promise<number[][]> {
    const readings = await mapConcurrently(groups.flat(), AT_ONCE, (listing) => this.#read(listing));
    return groups.map(({ length }) => meanOf(readings.splice(0, length)));
  }

  /** The scores of one group: see `scoreGroups`. */
  async score(listings: readonly Listing[]): Promise<number[]> {
    const [scores = []] = await this.scoreGroups([listings]);
    return scores;
  }

  /** The log-probability of each answer, by its number among the listed answers. */
  async #read(listing: Listing): Promise<number[]> {
    const { top_logprobs, constrain, min_label_mass } = this.#settings;
    const asked = { instructions: this.#instructions, listing };
    const answer = await this.#answerTo(
      writePrompt(this.#material, asked, { top_logprobs, constrained: constrain !== null }),
    );
    const { lines } = listing;
    const { log_probabilities, mass } = readLabels(
      answer,
      lines.map(({ label }) => label),
    );
    if (mass < min_label_mass) throw tooLittleMass(mass, min_label_mass);
    this.#least_mass = Math.min(this.#least_mass ?? 1, mass);
    const scores: number[] = new Array(lines.length);
    for (const [place, { item }] of lines.entries()) scores[item] = log_probabilities[place] ?? 0;
    return scores;
  }

  /**
   * The model's answer with one token. That is too short for the reason of a refusal: then the call is repeated with
   * more.
   */
  async #answerTo(request: GenerationRequest): Promise<AssembledAnswer> {
    this.#calls += 1;
    const answer = await this.#ask(request);
    if (answer.reason !== "length" || !isRefusal(answer)) return answer;
    this.#calls += 1;
    return await this.#ask({ ...request, max_output_tokens: REASON_TOKENS });
  }
}

function tooLittleMass(mass: number, least: number): GatewayError {
  const message = `The chat model made no decision: it gave the labels that it was asked to choose from a probability of ${mass.toPrecision(2)} together, and at least ${least} is wanted.`;
  return new GatewayError("upstream_invalid_response", message);
}

/**
 * Does the work for every item, at most `at_once` at a time, and returns the results in the order of the items. Rejects
 * as soon as one item fails, and then begins no other.
 */
async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  at_once: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  const waiting = items.entries();
  let failed = false;
  const worker = async () => {
    for (const [index, item] of waiting) {
      if (failed) return;
      results[index] = await work(item);
    }
  };
  const workers = Array.from({ length: Math.min(at_once, items.length) }, worker);
  try {
    await Promise.all(workers);
  } finally {
    failed = true;
  }
  return results;
}
