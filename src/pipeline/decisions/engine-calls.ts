import type { AssembledAnswer } from "../../core/answer/answer.ts";
import type { GenerationRequest } from "../../core/answer/generation.ts";
import { GatewayError } from "../../core/errors.ts";
import { divideRoundingUp } from "../../core/money/money.ts";
import { costInMillionths } from "../../core/money/price.ts";
import { servedPrice } from "../../core/money/price-variant.ts";
import { NO_USAGE, type Usage } from "../../core/money/usage.ts";
import { Semaphore } from "../../core/semaphore.ts";
import { AttemptTally } from "../ask/attempt-tally.ts";
import { VendorCall } from "../ask/vendor-call.ts";
import { type AttemptVerdict, judgeThrown } from "../ask/vendor-failure.ts";
import { noteVendorUse } from "../ask/vendor-use.ts";
import { charactersOf, hasImages } from "../request/decision-input.ts";
import { askEngineCandidates, type ChatModelAnswer } from "./ask-chat-model.ts";
import type { RunningDecision } from "./decide-plan.ts";
import type { EngineSource } from "./decision-source.ts";

/**
 * How many calls of one request run at once: enough to hide their latency, few enough to leave room for other requests.
 */
const CALLS_AT_ONCE = 8;
/**
 * A text of this many bytes has some 1,024 tokens, the minimum for vendors' prefix caches. From this size on the first
 * call runs alone, so that the others read the input from the cache at its price; for shorter texts waiting would only
 * cost time.
 */
const CACHED_FROM_BYTES = 4096;
/** After this time the server has closed the client's silent connection. A vendor's own `total` may be shorter. */
const PATIENCE_MS = 240_000;
const BYTES_PER_TOKEN = 4;

/**
 * The calls that our engine makes for one request: a few run at a time; they are counted, paid and ended together
 * (docs/rulings.md 103b).
 */
export class EngineCalls {
  readonly #run: RunningDecision;
  readonly #source: EngineSource;
  readonly #tally = new AttemptTally();
  readonly #controller = new AbortController();
  readonly #vendor_calls = new Set<VendorCall>();
  readonly #semaphore: Semaphore;
  readonly #deadline: Timer;
  #goes_alone: boolean;
  #failure: AttemptVerdict | null = null;
  readonly #asked: Promise<unknown>[] = [];
  /** In millionths of a micro unit, so that the sum of many small calls is rounded once. */
  #cost_millionths = 0n;

  constructor(run: RunningDecision, source: EngineSource) {
    this.#run = run;
    this.#source = source;
    this.#goes_alone = inputBytes(run) >= CACHED_FROM_BYTES;
    this.#semaphore = new Semaphore(this.#goes_alone ? 1 : CALLS_AT_ONCE);
    const patience_ms = Math.min(PATIENCE_MS, ...source.candidates.map(({ vendor }) => vendor.timeouts.total_ms));
    this.#deadline = setTimeout(() => this.#fail(tooLate(patience_ms)), patience_ms);
    // The request's owner ends all calls by this, and asks the first vendor's policy where the client leaves.
    run.vendor_call.current = { abort: this.stop };
    run.vendor_call.asked = source.candidates[0] ?? null;
    run.vendor_call.begun = null;
  }

  /** Asks the chat model once. Rejects with a GatewayError when there is no answer. */
  readonly ask = (request: GenerationRequest): Promise<AssembledAnswer> => {
    const asked = this.#askInTurn(request);
    this.#asked.push(asked);
    return asked;
  };

  async #askInTurn(request: GenerationRequest): Promise<AssembledAnswer> {
    await this.#semaphore.acquire();
    const vendor_call = new VendorCall();
    this.#vendor_calls.add(vendor_call);
    try {
      if (this.#controller.signal.aborted) throw stopped();
      return await this.#askNow(request, vendor_call);
    } finally {
      this.#run.vendor_call.begun ??= vendor_call.begun;
      this.#vendor_calls.delete(vendor_call);
      this.#semaphore.release();
      if (this.#goes_alone) this.#semaphore.widen(CALLS_AT_ONCE - 1);
      this.#goes_alone = false;
    }
  }

  async #askNow(request: GenerationRequest, vendor_call: VendorCall): Promise<AssembledAnswer> {
    const run = this.#run;
    const { signal } = this.#controller;
    const notes = this.#tally.notesFor(run, signal);
    const { deps, call, order, bound_tokens } = run;
    const context = { deps, call, signal, notes, vendor_call, order, bound_tokens };
    const engine_call = { request: this.#identified(request), remote: run.request.remote };
    const asked = await askEngineCandidates(context, this.#source.candidates, engine_call);
    if (!("kind" in asked)) {
      this.#fail(asked);
      throw asked.error;
    }
    this.#pay(asked, request);
    return asked.answer;
  }

  /** Adds the end user, whose id goes only to vendors that take one (docs/api.md 4.6). */
  #identified(request: GenerationRequest): GenerationRequest {
    const { safety_identifier } = this.#run.request.decision;
    return safety_identifier === null ? request : { ...request, end_user: safety_identifier };
  }

  #pay({ candidate, answer }: ChatModelAnswer, request: GenerationRequest): void {
    const usage = answer.usage ?? this.#estimatedUsage(request);
    // The engine asks for no tier, so that the vendor's account may serve any (docs/rulings.md 173).
    const { price } = servedPrice(candidate.price, {}, usage.served ?? {});
    this.#cost_millionths += costInMillionths(usage, price);
    noteVendorUse(this.#run.deps, candidate, usage);
  }

  /** The usage where the vendor reports none: the prompt's size is known, and one token was generated. */
  #estimatedUsage({ messages }: GenerationRequest): Usage {
    let characters = this.#run.request.decision.sketch?.characters ?? 0;
    for (const { content } of messages) for (const part of content) if ("text" in part) characters += part.text.length;
    return { ...NO_USAGE, input_tokens: Math.ceil(characters / BYTES_PER_TOKEN), output_tokens: 1 };
  }

  #fail(verdict: AttemptVerdict): void {
    this.#failure ??= verdict;
    this.stop();
  }

  /** Closes the running calls and prevents new ones. */
  readonly stop = (): void => {
    this.#controller.abort();
    for (const { current, begun } of this.#vendor_calls) {
      this.#run.vendor_call.begun ??= begun;
      current?.abort();
    }
    this.#semaphore.open();
  };

  /** The verdict on a failure; resolves when every call has ended. */
  async verdictOf(thrown: unknown): Promise<AttemptVerdict> {
    const verdict = this.#failure ?? judgeThrown(thrown);
    this.stop();
    await Promise.allSettled(this.#asked);
    return verdict;
  }

  /** Writes the calls and their cost into the request's receipt. No call may follow. */
  book(): void {
    clearTimeout(this.#deadline);
    this.#run.receipt.engineAsked(this.#tally.attempts(), divideRoundingUp(this.#cost_millionths, 1_000_000n));
  }
}

function inputBytes({ request: { decision } }: RunningDecision): number {
  return charactersOf(decision) + (hasImages(decision) ? CACHED_FROM_BYTES : 0);
}

function tooLate(patience_ms: number): AttemptVerdict {
  const message = `The model did not answer every question within ${Math.round(patience_ms / 1000)} s.`;
  return { error: new GatewayError("provider_error", message), retry: "never", health: "unknown" };
}

function stopped(): GatewayError {
  return new GatewayError("provider_error", "The request ended before this question was asked.");
}
