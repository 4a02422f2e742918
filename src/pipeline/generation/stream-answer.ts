import { GatewayError, toGatewayError } from "../../core/errors.ts";
import type { StoredAnswer } from "../../core/ledger.ts";
import { judgeInside } from "../asking/attempt.ts";
import type { AnswerSource, AnswerTaker } from "../../core/answer-stream.ts";
import { finalUsage } from "./final-usage.ts";
import { remember } from "../memory/remember.ts";
import type { HoldGuard } from "./hold-guard.ts";
import type { OpenedStream } from "./open-answer.ts";
import { keptHeaders } from "../admission/replay.ts";
import type { RunningRequest } from "./running-request.ts";
import type { PieceReader } from "../../wire/client/reply.ts";
import { judgeThrown } from "../asking/vendor-failure.ts";

export const EVENT_STREAM = "text/event-stream";
/** A finished stream larger than this is not stored for replay. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024;

/**
 * A streamed answer: a source from which the connection pulls the next piece once the last one is sent, so that a slow
 * client slows the vendor down. It passes each piece on as it arrives, ends the hold once, and sends the closing frames
 * only after the charge is durable.
 *
 * Every chunk of every stream runs through this class synchronously, from the vendor's socket to the client's: it makes
 * no promise, awaits nothing, and allocates nothing but the bytes.
 */
export class StreamedAnswer implements AnswerSource, PieceReader {
  readonly #run: RunningRequest;
  readonly #opened: OpenedStream;
  readonly #guard: HoldGuard;
  readonly #kept: Uint8Array[] | null;
  #kept_bytes = 0;
  #state: "opened" | "flowing" | "ended" = "opened";
  #left = false;
  /** True when the hold is used up and cannot be extended. */
  #exhausted = false;
  /** True when the vendor has closed the stream. */
  #vendor_ended = false;
  /** The taker of the next piece, while one is wanted. */
  #client: AnswerTaker | null = null;
  #is_over = false;
  /** True once the answer has ended well and is settled. */
  #is_whole = false;

  constructor(run: RunningRequest, opened: OpenedStream) {
    this.#run = run;
    this.#opened = opened;
    this.#guard = opened.guard;
    this.#kept = run.call.idempotency_key === null ? null : [];
    run.deps.open_requests.streams += 1;
  }

  /** Called when the client wants a piece. */
  pull(client: AnswerTaker): void {
    if (this.#client !== null || this.#state === "ended") return;
    this.#client = client;
    if (this.#state === "flowing") return this.#goOn();
    this.#state = "flowing";
    this.#passOn(this.#opened.first);
  }

  /** Called when the client has disconnected. */
  abort(): void {
    if (this.#left) return;
    this.#left = true;
    this.#opened.metered.ended();
    if (this.#state === "ended") return this.#tellEnd();
    const { candidate, answer } = this.#opened;
    // Pieces that were handed over count as delivered even if the client never took them; pieces never pulled do not.
    const delivered = this.#state === "flowing" && answer.has_content;
    this.#state = "ended";
    this.#client = null;
    this.#tellEnd();
    const drains = candidate.vendor.on_disconnect === "drain" && !this.#run.deps.open_requests.hurried;
    if (drains && delivered) void this.#drainAndCharge();
    else void this.#abandon(delivered);
  }

  /** Called with the vendor's next bytes, or with null at their end. */
  take(came: Uint8Array | null): void {
    const { answer } = this.#opened;
    try {
      // Once the client has left, the answer is only read on for the usage: then no client waits.
      if (this.#left) return void (came === null ? answer.end() : answer.push(came));
      this.#vendor_ended = came === null;
      const piece = came === null ? answer.end() : answer.push(this.#guard.cover(came, answer.output_bytes));
      if (this.#guard.isDue(answer.output_bytes)) void this.#checkHold(piece);
      else this.#passOn(piece);
    } catch (thrown) {
      this.broke(thrown);
    }
  }

  /** Called when the answer broke, or cannot be read. */
  broke(thrown: unknown): void {
    if (this.#left) return;
    this.#opened.reply.close();
    void this.#sendLast(this.#fail(judgeThrown(thrown).error));
  }

  /** Hands a piece to the client; goes on to the next bytes where the piece is empty. */
  #passOn(piece: Uint8Array): void {
    if (piece.byteLength === 0) return this.#goOn();
    const client = this.#client;
    this.#client = null;
    if (this.#kept !== null) this.#keep(piece);
    client?.take(piece);
  }

  #goOn(): void {
    const { reply, answer } = this.#opened;
    if (this.#vendor_ended || this.#exhausted || answer.terminated || answer.failure !== null)
      return void this.#sendLast(this.#end());
    const { waiting } = this.#guard;
    if (waiting === null) reply.readTo(this);
    else this.take(waiting);
  }

  /** Extends the hold if it can, and sends the bytes that have already arrived. */
  async #checkHold(piece: Uint8Array): Promise<void> {
    try {
      this.#exhausted = !(await this.#guard.check(this.#opened.answer));
    } catch (thrown) {
      return this.broke(thrown);
    }
    if (!this.#left) this.#passOn(piece);
  }

  /** Sends the closing frames once they are ready, and ends the stream. */
  async #sendLast(closing: Promise<Uint8Array>): Promise<void> {
    const last = await closing;
    const client = this.#client;
    if (this.#left || client === null) return;
    client.end(last);
    // In the same turn of the event loop: the client's next request finds the response.
    if (this.#is_whole) remember(this.#run, this.#opened.candidate, last);
    this.#tellEnd();
  }

  /** Ends the answer as its vendor ended it. Returns the closing frames. */
  #end(): Promise<Uint8Array> {
    const { answer, candidate } = this.#opened;
    if (answer.failure !== null) return this.#fail(judgeInside(this.#run, candidate, answer.failure).error);
    if (this.#exhausted && !answer.terminated) return this.#cut();
    return answer.complete ? this.#finish() : this.#fail(brokenOff());
  }

  async #finish(): Promise<Uint8Array> {
    const { candidate, answer, metered } = this.#opened;
    this.#state = "ended";
    metered.completed();
    this.#letGo();
    try {
      const final = await finalUsage(this.#run, candidate, answer, true);
      const last = answer.finish(final.usage);
      await this.#run.settle({ candidate, ...final, error: null, success: true, answer: this.#storedAnswer(last) });
      this.#is_whole = true;
      return last;
    } catch (thrown) {
      return this.#unrecorded(thrown);
    }
  }

  /** Ends a stream whose hold cannot be extended: with `length`, charged for what was delivered. */
  async #cut(): Promise<Uint8Array> {
    const { candidate, answer, reply, metered } = this.#opened;
    metered.ended();
    reply.close();
    this.#state = "ended";
    try {
      const final = await finalUsage(this.#run, candidate, answer, false);
      await this.#run.settle({ candidate, ...final, error: null, success: true, answer: null });
      this.#is_whole = true;
      return answer.cut(final.usage);
    } catch (thrown) {
      return this.#unrecorded(thrown);
    }
  }

  /** Ends a stream that broke: charged for what was delivered if there was content, and never with a clean end. */
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
    // Has no effect after `settle` was called: the ledger then books the charge when it can.
    void this.#run.release("internal_error");
    const error = new GatewayError("internal_error", "The answer could not be recorded, so its end is withheld.");
    return this.#opened.answer.fail(error, this.#run.call.request_id);
  }

  /** Policy `abort`: the vendor's call is closed, and the input and the delivered output are charged. */
  async #abandon(delivered: boolean): Promise<void> {
    this.#opened.reply.close();
    await this.#settleLeft(delivered);
  }

  async #settleLeft(delivered: boolean): Promise<void> {
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

  /** Policy `drain`: the vendor bills the whole answer in any case, so it is read to its end and charged. */
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
    if (answer.terminated) this.#letGo();
    else reply.close();
    await this.#settleLeft(true);
    // The answer is as complete as if its client had waited for it.
    if (answer.complete && answer.failure === null) remember(this.#run, this.#opened.candidate, answer.finish());
  }

  /**
   * Releases the vendor's connection. A complete answer is read to its end, as a connection that is closed earlier
   * cannot be used again.
   */
  #letGo(): void {
    const { answer, reply } = this.#opened;
    if (answer.ended_early) reply.close();
    else void drain(reply);
  }

  /** Called when the client has taken the last bytes, or has left. */
  #tellEnd(): void {
    if (this.#is_over) return;
    this.#is_over = true;
    this.#run.deps.open_requests.streams -= 1;
    this.#run.call.sent();
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

/** Reads the few bytes after the last frame, so that the connection can be used again. */
async function drain(reply: OpenedStream["reply"]): Promise<void> {
  try {
    while ((await reply.read()) !== null);
  } catch {
    // The answer is complete: an error on its connection no longer matters.
  }
}

function brokenOff(): GatewayError {
  return new GatewayError("provider_error", "The model's vendor broke the answer off before its end.");
}
