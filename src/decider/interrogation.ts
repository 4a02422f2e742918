import type { AssembledAnswer } from "../core/answer.ts";
import type { ChoiceConstraint } from "../core/catalog.ts";
import type { Calibration, Debias } from "../core/decide-with.ts";
import type { DecisionRequest } from "../core/decision.ts";
import { GatewayError } from "../core/errors.ts";
import type { GenerationRequest, ImagePart, TextPart } from "../core/generation.ts";
import { callInTurns } from "./call-in-turns.ts";
import type { Listing } from "./listing.ts";
import { isRefusal, readLabels } from "./read-labels.ts";
import { meanOf } from "./softmax.ts";
import { writeMaterial } from "./write-material.ts";
import { writePrompt } from "./write-prompt.ts";

/** Asks the chat model once; rejects with a GatewayError when it cannot be had. The request's `model` is empty. */
export type Ask = (request: GenerationRequest) => Promise<AssembledAnswer>;

export interface EngineSettings {
  readonly debias: Debias;
  /** From 0 to 1: a call with less probability on its labels is no answer. */
  readonly min_label_mass: number;
  readonly calibration: Calibration | null;
  /** How many alternatives the vendor shows; usually 20. */
  readonly top_logprobs: number;
  /** How the vendor constrains output to given texts; null where it cannot. */
  readonly constrain: ChoiceConstraint | null;
}

/** Calls of one question that run at the same time. */
const AT_ONCE = 8;
/** What a model may say of why it declines. */
const REASON_TOKENS = 256;

/** One question, asked as often as it takes. It knows of no other question. */
export class Interrogation {
  readonly #material: readonly (TextPart | ImagePart)[];
  readonly #instructions: string;
  readonly #settings: EngineSettings;
  readonly #ask: Ask;
  #calls = 0;
  #least_mass: number | null = null;

  constructor(
    instructions: string,
    input: DecisionRequest["input"],
    { settings, ask }: { readonly settings: EngineSettings; readonly ask: Ask },
  ) {
    this.#material = writeMaterial(input);
    this.#instructions = instructions;
    this.#settings = settings;
    this.#ask = ask;
  }

  get calls(): number {
    return this.#calls;
  }

  /**
   * The smallest label mass of the calls; null where none was answered, and where output is constrained to the labels:
   * a vendor may then show the probabilities before or after that.
   */
  get label_mass(): number | null {
    return this.#settings.constrain === null ? this.#least_mass : null;
  }

  /** The log-score of each answer from one call for each listing. Groups of listings, each averaged by itself. */
  async scoreGroups(groups: readonly (readonly Listing[])[]): Promise<number[][]> {
    const readings = await callInTurns(groups.flat(), AT_ONCE, (listing) => this.#read(listing));
    return groups.map(({ length }) => meanOf(readings.splice(0, length)));
  }

  /** The same for one group. */
  async score(listings: readonly Listing[]): Promise<number[]> {
    const [scores = []] = await this.scoreGroups([listings]);
    return scores;
  }

  /** The log-probability of each answer, by its number among those listed. */
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

  /** One token is enough for an answer, but not for the reason of a refusal: that is asked for again, with room for it. */
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
