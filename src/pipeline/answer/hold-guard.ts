import type { AnswerReport } from "../../core/answer/exchange.ts";
import { subtract, ZERO } from "../../core/money/money.ts";
import { affordableOutput, costOf, highestOutputPrice, outputCost } from "../../core/money/price.ts";
import { NO_USAGE, withoutServed } from "../../core/money/usage.ts";
import { possiblePrices, rareCosts } from "../../ledger/rare-costs.ts";
import { quietly } from "../../observe/quietly.ts";
import type { PlannedCandidate } from "../plan/prospects.ts";
import { unitUsage } from "../usage/unit-usage.ts";
import { believedReport, estimateUsage } from "./final-usage.ts";
import type { RunningRequest } from "./running-request.ts";

/**
 * Text bytes counted as one token while a stream runs. Most text has more bytes a token, so the hold is extended rather too
 * early than too late; the charge is never computed from this.
 */
const BYTES_PER_TOKEN = 3;
const EXTEND_AT = 0.8;
const EXTENSION_TOKENS = 4096;
const PROGRESS_EVERY_MS = 5000;
/** How long a stream that has used up its hold waits for an extension, before the remaining room is counted exactly. */
const GRACE_MS = 200;
/** How long a stream that has used its hold up waits for the database before it ends. */
const USED_UP_WAIT_MS = 5000;
/**
 * The smallest size to which a piece of a stream is cut, and so the most by which a stream can exceed its hold
 * (docs/rulings.md 88).
 */
const SMALLEST_PIECE = 256;
/** How much of the rest of the money may pass before it is counted again: the text ahead may have shorter tokens. */
const REST_AT_ONCE = 0.8;

/** A requested extension and its result. */
interface Extension {
  /** Resolves when the extension is decided. Never rejects. */
  readonly decided: Promise<void>;
  /** How many output tokens more the hold covers; null until the extension is decided. */
  more_tokens: number | null;
  /** Whether the stream has waited for the extension at the end of its hold. */
  was_awaited: boolean;
}

/**
 * Guards the hold of a stream whose output is seen: extends the hold before it is used up, records progress now and then, and
 * says where the money ends. Output that the client's own cap or a granted cap covers needs no extension, and is never cut.
 *
 * An extension is asked for early, and the stream goes on meanwhile. Where the database does not answer, the stream uses up
 * its hold, and then ends as with an empty wallet (docs/rulings.md 147).
 */
export class HoldGuard {
  readonly #run: RunningRequest;
  readonly #candidate: PlannedCandidate;
  readonly #clock: { readonly now_ms: number };
  #held_tokens: number;
  /** True once balance or budget had less than was asked for: from then on a tokenizer counts the rest. */
  #is_last = false;
  /** The extension that is under way. */
  #extension: Extension | null = null;
  /** The output bytes at which `check` has work to do: each piece costs one comparison. */
  #due_bytes: number;
  #next_progress_ms: number;
  #waiting: Uint8Array | null = null;

  constructor(run: RunningRequest, candidate: PlannedCandidate) {
    this.#run = run;
    this.#candidate = candidate;
    this.#clock = run.deps.upstream;
    this.#held_tokens = run.plan.held_output_tokens;
    this.#due_bytes = run.plan.covers_output ? Number.POSITIVE_INFINITY : this.#extensionPoint();
    this.#next_progress_ms = this.#clock.now_ms + PROGRESS_EVERY_MS;
  }

  /** Whether `check` must be called. Called for every piece that passes. */
  isDue(output_bytes: number): boolean {
    return output_bytes >= this.#due_bytes || this.#clock.now_ms >= this.#next_progress_ms;
  }

  /**
   * The vendor's bytes that may pass before `check` is called; the rest becomes `waiting`. A vendor may send a
   * long answer in one piece, and a piece has no more bytes of text than bytes. `most` is never exceeded.
   */
  takeCovered(chunk: Uint8Array, output_bytes: number, most = Number.POSITIVE_INFINITY): Uint8Array {
    const room = Math.min(most, Math.max(SMALLEST_PIECE, Math.ceil(this.#due_bytes - output_bytes)));
    if (chunk.byteLength <= room) {
      this.#waiting = null;
      return chunk;
    }
    this.#waiting = chunk.subarray(room);
    return chunk.subarray(0, room);
  }

  /** Bytes from the vendor that wait until the hold covers them. */
  get waiting(): Uint8Array | null {
    return this.#waiting;
  }

  /** Records progress, and extends the hold when it is nearly used up. False where the money ends. */
  async check(answer: AnswerReport): Promise<boolean> {
    const { now_ms } = this.#clock;
    if (now_ms >= this.#next_progress_ms) {
      this.#next_progress_ms = now_ms + PROGRESS_EVERY_MS;
      this.#recordProgress(answer);
    }
    if (answer.output_bytes < this.#due_bytes) return true;
    if (this.#is_last) return await this.#goOnWithRest(answer);
    if (this.#extension === null) {
      this.#extension = this.#ask();
      this.#due_bytes = this.#held_tokens * BYTES_PER_TOKEN;
      if (answer.output_bytes < this.#due_bytes) return true;
    }
    return await this.#goOnWith(this.#extension, answer);
  }

  /** Continues with the extension if it is decided, and otherwise within the present hold. */
  async #goOnWith(extension: Extension, answer: AnswerReport): Promise<boolean> {
    if (!extension.was_awaited) {
      extension.was_awaited = true;
      await within(extension.decided, GRACE_MS);
    }
    if (extension.more_tokens === null) {
      if (await this.#goOnWithRest(answer)) return true;
      await within(extension.decided, USED_UP_WAIT_MS);
      if (extension.more_tokens === null) return false;
    }
    this.#extension = null;
    this.#held_tokens += extension.more_tokens;
    this.#is_last = extension.more_tokens < EXTENSION_TOKENS;
    if (this.#is_last) return await this.#goOnWithRest(answer);
    this.#due_bytes = this.#extensionPoint();
    return true;
  }

  /** Asks for an extension. One that the ledger cannot book brings nothing. */
  #ask(): Extension {
    const asked = this.#extend();
    const decided = asked.then(
      (more_tokens) => {
        extension.more_tokens = more_tokens;
      },
      (thrown: unknown) => {
        extension.more_tokens = 0;
        const { deps, request_id } = this.#run;
        quietly(deps.log, () => deps.log.error({ request_id, err: thrown }, "a hold could not be extended"));
      },
    );
    const extension: Extension = { decided, more_tokens: null, was_awaited: false };
    return extension;
  }

  /** Resolves with how many output tokens more the hold covers: fewer than were asked for where the balance and the budget have no more. */
  async #extend(): Promise<number> {
    const per_mtok = outputPrice(this.#run, this.#candidate);
    const add_micro = outputCost(EXTENSION_TOKENS, per_mtok);
    if (add_micro === ZERO) return EXTENSION_TOKENS;
    const added_micro = await this.#run.hold.extend(add_micro);
    return added_micro === add_micro ? EXTENSION_TOKENS : affordableOutput(added_micro, per_mtok);
  }

  /** The output size at which the hold is extended. */
  #extensionPoint(): number {
    return this.#held_tokens * BYTES_PER_TOKEN * EXTEND_AT;
  }

  /** Lets the answer go on for as long as the hold pays for it. False when nothing is left. */
  async #goOnWithRest(answer: AnswerReport): Promise<boolean> {
    const { usage } = await estimateUsage(
      this.#run,
      this.#candidate,
      believedReport(this.#run, this.#candidate, answer),
    );
    const { held_micro } = this.#run.hold;
    const cost_micro = costOf(usage, this.#candidate.price);
    if (cost_micro >= held_micro) return false;
    const per_mtok = outputPrice(this.#run, this.#candidate);
    const left_tokens = affordableOutput(subtract(held_micro, cost_micro), per_mtok);
    const bytes_per_token = Math.max(1, answer.output_bytes / Math.max(1, usage.output_tokens));
    // One more piece passes before the next check, and the hold has to cover it.
    const free_bytes = left_tokens * bytes_per_token - SMALLEST_PIECE;
    if (free_bytes <= 0) return false;
    this.#due_bytes = answer.output_bytes + free_bytes * REST_AT_ONCE;
    return true;
  }

  #recordProgress(answer: AnswerReport): void {
    const { model, price } = this.#candidate;
    const by_units = unitUsage(answer.usage, this.#run.request, price)?.usage;
    const known = by_units ?? answer.usage ?? { ...NO_USAGE, input_tokens: Math.ceil(this.#run.plan.bound_tokens / 4) };
    const output_tokens = Math.max(known.output_tokens, Math.ceil(answer.output_bytes / 4));
    const usage = { ...known, output_tokens };
    const charge_micro = costOf(usage, price);
    this.#run.hold.recordProgress({ model: model.id, price, usage: withoutServed(usage), charge_micro });
  }
}

/** The dearest price of an output token by a candidate, at which the hold grows: of any list that its vendor may serve. */
function outputPrice({ request }: RunningRequest, { price, target }: PlannedCandidate): number {
  const lists = target.price === undefined ? [price] : possiblePrices(target.price, request);
  return Math.max(...[price, ...lists].map((list) => highestOutputPrice(list, rareCosts(list, request))));
}

/** Resolves when the promise does, or after this time. */
async function within(promise: Promise<void>, time_ms: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, time_ms);
  await Promise.race([promise, late]);
  clearTimeout(timer);
}
