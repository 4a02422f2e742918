import { GatewayError, toGatewayError } from "../core/errors.ts";
import type { StoredAnswer } from "../core/ledger.ts";
import { judgeInside } from "./attempt.ts";
import { finalUsage } from "./final-usage.ts";
import type { HoldGuard } from "./hold-guard.ts";
import type { OpenedStream } from "./open-answer.ts";
import { keptHeaders } from "./replay.ts";
import type { RunningRequest } from "./running-request.ts";
import { judgeThrown } from "./vendor-failure.ts";

const NOTHING = new Uint8Array(0);
export const EVENT_STREAM = "text/event-stream";
/** A finished stream larger than this is not kept for replay. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024;

/**
 * A streamed answer on its way: an async iterator that the server pulls, so that a slow client slows the vendor down.
 * It passes each piece on as it comes, ends the hold once, and sends the closing frames only after that is durable.
 * An iterator rather than a generator: a generator that waits for the vendor would notice the client's leaving only
 * with the vendor's next piece, and one that was never started would not notice it at all.
 */
export class StreamBody implements AsyncIterator<Uint8Array>, AsyncIterable<Uint8Array> {
  readonly #run: RunningRequest;
  readonly #opened: OpenedStream;
  readonly #guard: HoldGuard;
  readonly #kept: Uint8Array[] | null;
  #kept_bytes = 0;
  #state: "opened" | "flowing" | "ended" = "opened";
  #left = false;
  /** Set when the hold is used up and cannot be extended. */
  #exhausted = false;
  #onEnd: (() => void) | null;

  /** `onEnd` is called when the last bytes have been taken, or the client has left. */
  constructor(run: RunningRequest, opened: OpenedStream, onEnd: () => void) {
    this.#run = run;
    this.#opened = opened;
    this.#guard = opened.guard;
    this.#kept = run.call.idempotency_key === null ? null : [];
    this.#onEnd = onEnd;
    run.deps.open_requests.streams += 1;
    run.call.signal.addEventListener("abort", () => this.#leave(), { once: true });
    if (run.call.signal.aborted) this.#leave();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    return this.#state === "ended" ? Promise.resolve(this.#result(NOTHING)) : this.#next();
  }

  /** The client is gone. */
  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#leave();
    return { done: true, value: undefined };
  }

  /** A piece for the client; there are no more after an empty one. */
  #result(piece: Uint8Array): IteratorResult<Uint8Array> {
    if (piece.byteLength === 0) {
      this.#tellEnd();
      return { done: true, value: undefined };
    }
    if (this.#kept !== null) this.#keep(piece);
    return { done: false, value: piece };
  }

  /** Every chunk of every stream comes through here: one promise for each, and no more. */
  async #next(): Promise<IteratorResult<Uint8Array>> {
    const { reply, answer, first } = this.#opened;
    if (this.#state === "opened") {
      this.#state = "flowing";
      if (first.byteLength > 0) return this.#result(first);
    }
    try {
      while (!answer.terminated && answer.failure === null && !this.#exhausted) {
        if (this.#left) return this.#result(NOTHING);
        const chunk = this.#covered(this.#guard.waiting ?? (await reply.read()));
        const piece = chunk === null ? answer.end() : answer.push(chunk);
        if (this.#guard.isDue(answer.output_bytes)) this.#exhausted = !(await this.#guard.check(answer));
        if (piece.byteLength > 0) return this.#result(piece);
        if (chunk === null) break;
      }
    } catch (thrown) {
      if (this.#left) return this.#result(NOTHING);
      reply.close();
      return this.#result(await this.#fail(judgeThrown(thrown).error));
    }
    return this.#result(await this.#end());
  }

  /** Ends the answer as its vendor has ended it. Returns the closing frames. */
  #end(): Promise<Uint8Array> {
    const { answer, candidate } = this.#opened;
    if (answer.failure !== null) return this.#fail(judgeInside(this.#run, candidate, answer.failure).error);
    if (this.#exhausted && !answer.terminated) return this.#cut();
    return answer.complete ? this.#finish() : this.#fail(brokenOff());
  }

  /** What the hold covers of a chunk. Once the client has left, others may be reading on: then nothing waits. */
  #covered(chunk: Uint8Array | null): Uint8Array | null {
    if (chunk === null || this.#left) return chunk;
    return this.#guard.cover(chunk, this.#opened.answer.output_bytes);
  }

  async #finish(): Promise<Uint8Array> {
    const { candidate, answer, reply, metered } = this.#opened;
    this.#state = "ended";
    metered.completed();
    if (answer.ended_early) reply.close();
    else void drain(reply);
    try {
      const final = await finalUsage(this.#run, candidate, answer, true);
      const last = answer.finish(final.usage);
      await this.#run.settle({ candidate, ...final, error: null, success: true, answer: this.#storedAnswer(last) });
      return last;
    } catch (thrown) {
      return this.#unrecorded(thrown);
    }
  }

  /** Ends a stream whose hold cannot grow any further: with `length`, charged for what was delivered. */
  async #cut(): Promise<Uint8Array> {
    const { candidate, answer, reply, metered } = this.#opened;
    metered.ended();
    reply.close();
    this.#state = "ended";
    try {
      const final = await finalUsage(this.#run, candidate, answer, false);
      await this.#run.settle({ candidate, ...final, error: null, success: true, answer: null });
      return answer.cut(final.usage);
    } catch (thrown) {
      return this.#unrecorded(thrown);
    }
  }

  /** Ends a stream that broke: charged for what was delivered if there was content, and never ended cleanly. */
  async #fail(error: GatewayError): Promise<Uint8Array> {
    const { reply, metered } = this.#opened;
    reply.close();
    this.#state = "ended";
    const { breakers, log } = this.#run.deps;
    const { vendor, route } = this.#opened.candidate;
    if (error.code === "internal_error") {
      metered.ended();
      log.error({ request_id: this.#run.call.request_id, err: error.cause }, error.message);
    } else {
      metered.failed(error.code, reply.status);
      breakers.failed(vendor.id, route.upstream_model);
    }
    try {
      await this.#chargeDelivered(error);
    } catch (thrown) {
      return this.#unrecorded(thrown);
    }
    return this.#opened.answer.fail(error, this.#run.call.request_id);
  }

  async #chargeDelivered(error: GatewayError | null): Promise<void> {
    const { candidate, answer } = this.#opened;
    if (!answer.has_content) return await this.#run.release(error?.code ?? null);
    const final = await finalUsage(this.#run, candidate, answer, answer.complete);
    await this.#run.settle({ candidate, ...final, error: error?.code ?? null, success: error === null, answer: null });
  }

  #unrecorded(thrown: unknown): Uint8Array {
    this.#run.deps.log.error({ request_id: this.#run.call.request_id, err: thrown }, "an answer could not be recorded");
    // Nothing where the settlement was asked for: that is booked when it can be.
    void this.#run.release("internal_error");
    const error = new GatewayError("internal_error", "The answer could not be recorded, so its end is withheld.");
    return this.#opened.answer.fail(error, this.#run.call.request_id);
  }

  #leave(): void {
    if (this.#left) return;
    this.#left = true;
    this.#opened.metered.ended();
    if (this.#state === "ended") return this.#tellEnd();
    const { candidate, answer } = this.#opened;
    // What was pushed but never taken by the client is content all the same; what was never pulled is not.
    const delivered = this.#state === "flowing" && answer.has_content;
    this.#state = "ended";
    this.#tellEnd();
    const drains = candidate.vendor.on_disconnect === "drain" && !this.#run.deps.open_requests.hurried;
    if (drains && delivered) void this.#drainAndCharge();
    else void this.#abandon(delivered);
  }

  /** Policy `abort`: the vendor is told to stop, and the input and what was delivered are charged. */
  async #abandon(delivered: boolean): Promise<void> {
    this.#opened.reply.close();
    try {
      if (delivered) await this.#chargeDelivered(null);
      else await this.#run.release(null);
    } catch (thrown) {
      this.#run.deps.log.error(
        { request_id: this.#run.call.request_id, err: thrown },
        "an abandoned answer was not settled",
      );
    }
  }

  /** Policy `drain`: the vendor bills the whole answer anyway, so it is read to its end and charged. */
  async #drainAndCharge(): Promise<void> {
    const { reply, answer } = this.#opened;
    this.#run.whenHurried(() => reply.close());
    try {
      if (this.#guard.waiting !== null) answer.push(this.#guard.waiting);
      while (!answer.terminated && answer.failure === null) {
        const chunk = await reply.read();
        if (chunk === null) {
          answer.end();
          break;
        }
        answer.push(chunk);
      }
    } catch (thrown) {
      reply.close();
      this.#run.deps.log.warn(
        { request_id: this.#run.call.request_id, err: toGatewayError(thrown) },
        "a drained answer broke off",
      );
    }
    await this.#abandon(true);
  }

  #tellEnd(): void {
    if (this.#onEnd !== null) this.#run.deps.open_requests.streams -= 1;
    this.#onEnd?.();
    this.#onEnd = null;
  }

  #keep(piece: Uint8Array): void {
    this.#kept_bytes += piece.byteLength;
    if (this.#kept_bytes <= MAX_KEPT_BYTES) this.#kept?.push(piece);
  }

  #storedAnswer(last: Uint8Array): StoredAnswer | null {
    if (this.#kept === null || this.#kept_bytes + last.byteLength > MAX_KEPT_BYTES) return null;
    const body = Buffer.concat([...this.#kept, last]);
    return { status: 200, content_type: EVENT_STREAM, headers: keptHeaders(this.#run), body };
  }
}

/** Reads what little follows the last frame, so that the connection can be used again. */
async function drain(reply: OpenedStream["reply"]): Promise<void> {
  try {
    while ((await reply.read()) !== null);
  } catch {
    // The answer is complete: how its connection ends no longer matters.
  }
}

function brokenOff(): GatewayError {
  return new GatewayError("provider_error", "The model's vendor broke the answer off before its end.");
}
