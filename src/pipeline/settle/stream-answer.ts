import type { AnswerSource, AnswerTaker } from "../../core/answer/answer-stream.ts";
import { toGatewayError } from "../../core/errors.ts";
import { isLater } from "../../core/later.ts";
import { quietly } from "../../observe/quietly.ts";
import type { PieceReader } from "../../wire/client/reply.ts";
import { streamIdOf } from "../answer/answer-id.ts";
import { isNoAnswer, type OpenedStream } from "../answer/open-answer.ts";
import type { RunningRequest } from "../answer/running-request.ts";
import { judgeReportedFailure } from "../ask/attempt.ts";
import { judgeBrokenOff, judgeEmpty, judgeThrown } from "../ask/vendor-failure.ts";
import { drainsVendor } from "./answer-admitted.ts";
import type { Visibility } from "./endings.ts";
import { remember } from "./remember.ts";
import { endRequest } from "./settle-request.ts";
import { StreamEnding } from "./stream-ending.ts";

/**
 * The most bytes that are sent in one turn of the event loop: an answer that repeats a large request may be as large (docs/adr/0027-body-workers.md).
 */
const SLICE_BYTES = 2 ** 20;

/** What a stream is sent with, beside its bytes. */
interface StreamSettings {
  readonly visibility: Visibility;
  /** Null where the client gets none. */
  readonly beat: Uint8Array | null;
  readonly content_type: string;
}

/**
 * A streamed answer: a source from which the connection pulls the next piece once the last one is sent, so that a slow
 * client slows the vendor down. It passes each piece on as it arrives, ends the hold once, and sends the closing frames
 * only after the charge is durable. It owns its request: nothing that it is called for throws, and every way out ends in
 * `#sendLast`, which leaves neither the hold nor the vendor's call open (docs/rulings.md 159).
 *
 * If the vendor is read on after its client has left, the answer goes the same way without a client: it is charged
 * and kept as if someone had waited for it (docs/rulings.md 143, 154).
 *
 * Every chunk of every stream runs through this class synchronously, from the vendor's socket to the client's: it makes
 * no promise, awaits nothing, and allocates nothing but the bytes.
 */
export class StreamedAnswer implements AnswerSource, PieceReader {
  readonly #run: RunningRequest;
  readonly #opened: OpenedStream;
  readonly #visibility: Visibility;
  readonly #beat: Uint8Array | null;
  readonly #ending: StreamEnding;
  #state: "opened" | "flowing" | "ended" = "opened";
  #left = false;
  /** True when the hold is used up and cannot be extended. */
  #exhausted = false;
  /** True when the vendor has closed the stream. */
  #vendor_ended = false;
  /** The taker of the next piece, while one is wanted: the vendor is being read exactly then. */
  #client: AnswerTaker | null = null;
  /** The taker of the answer, also between two pieces: the answer must end there, whatever fails. */
  #taker: AnswerTaker | null = null;
  /** The rest of a piece, or of the closing frames, that is sent in slices. */
  #rest: Uint8Array | null = null;
  #closing: Uint8Array | null = null;
  #is_started = false;
  #is_over = false;

  constructor(run: RunningRequest, opened: OpenedStream, { visibility, beat, content_type }: StreamSettings) {
    this.#run = run;
    this.#opened = opened;
    this.#visibility = visibility;
    this.#beat = beat;
    this.#ending = new StreamEnding(run, opened, content_type);
  }

  /** Called once the stream owns the request. */
  start(): void {
    this.#is_started = true;
    this.#run.deps.open_requests.streams += 1;
  }

  /** Called when the client wants a piece. */
  pull(client: AnswerTaker): void {
    if (this.#closing !== null) return void setImmediate(() => this.#sendClosing(client));
    if (this.#client !== null || this.#state === "ended") return;
    this.#client = client;
    this.#taker = client;
    try {
      if (this.#state === "flowing") return this.#goOn();
      this.#begin();
    } catch (thrown) {
      this.fail(thrown);
    }
  }

  /** Sent to a client that waits, and between whole events only. It is no part of the answer. */
  beat(): Uint8Array | null {
    return this.#rest === null && this.#closing === null ? this.#beat : null;
  }

  /** Called when the client has disconnected. */
  abort(): void {
    if (this.#left) return;
    this.#left = true;
    this.#rest = null;
    this.#closing = null;
    const is_idle = this.#client === null;
    this.#client = null;
    this.#tellEnd();
    if (this.#state === "ended") return;
    if (!drainsVendor(this.#run, this.#visibility)) return this.#leaveVendor();
    this.#run.whenVendorDrainStops(() => this.#leaveVendor());
    try {
      if (this.#state === "opened") this.#begin();
      else if (is_idle) this.#goOn();
    } catch (thrown) {
      this.fail(thrown);
    }
  }

  /** Called with the vendor's next bytes, or with null at their end. */
  take(chunk: Uint8Array | null): void {
    if (this.#state === "ended") return;
    const { answer, guard } = this.#opened;
    try {
      this.#vendor_ended = chunk === null;
      const piece = chunk === null ? answer.end() : answer.push(guard.takeCovered(chunk, answer.output_bytes));
      if (isLater(piece)) void this.#takeLater(piece);
      else this.#onPiece(piece);
    } catch (thrown) {
      this.fail(thrown);
    }
  }

  /** Waits for a piece that another thread makes. */
  async #takeLater(piece: Promise<Uint8Array>): Promise<void> {
    try {
      const chunk = await piece;
      if (this.#state !== "ended") this.#onPiece(chunk);
    } catch (thrown) {
      this.fail(thrown);
    }
  }

  #onPiece(piece: Uint8Array): void {
    const { answer, guard } = this.#opened;
    this.#ending.keep(piece);
    if (guard.isDue(answer.output_bytes)) void this.#checkHold(piece);
    else this.#passOn(piece);
  }

  /** Ends the answer where the vendor's connection broke, or where the answer cannot be read. */
  fail(thrown: unknown): void {
    this.#end(() => this.#ending.fail(judgeThrown(thrown)));
  }

  #begin(): void {
    this.#state = "flowing";
    const { receipt, call, deps } = this.#run;
    quietly(deps.log, () => receipt.answered(streamIdOf(call.endpoint, this.#opened.first)));
    receipt.wentOn(deps.clock.monotonic_ms());
    this.#ending.keep(this.#opened.first);
    this.#passOn(this.#opened.first);
  }

  /** Passes a piece to the client; asks for the next bytes where the piece is empty or the client has left. */
  #passOn(piece: Uint8Array): void {
    if (piece.byteLength === 0 || this.#left) return this.#goOn();
    const client = this.#client;
    this.#client = null;
    if (piece.byteLength <= SLICE_BYTES) return client?.take(piece);
    this.#rest = piece.subarray(SLICE_BYTES);
    client?.take(piece.subarray(0, SLICE_BYTES));
  }

  /** Sends the rest of a piece in the next turn of the event loop. */
  #passOnRest(rest: Uint8Array): void {
    this.#rest = null;
    setImmediate(() => {
      try {
        this.#passOn(rest);
      } catch (thrown) {
        this.fail(thrown);
      }
    });
  }

  #goOn(): void {
    if (this.#rest !== null) return this.#passOnRest(this.#rest);
    const { reply, answer, guard } = this.#opened;
    if (this.#vendor_ended || this.#exhausted || answer.terminated || answer.failure !== null)
      return this.#end(() => this.#lastFrames());
    if (guard.waiting === null) reply.readTo(this);
    else this.take(guard.waiting);
  }

  /** Extends the hold if it can, and passes the bytes on that have already arrived. */
  async #checkHold(piece: Uint8Array): Promise<void> {
    try {
      this.#exhausted = !(await this.#opened.guard.check(this.#opened.answer));
      if (this.#state !== "ended") this.#passOn(piece);
    } catch (thrown) {
      this.fail(thrown);
    }
  }

  /** Ends the answer as its vendor ended it. Resolves with the closing frames. */
  #lastFrames(): Promise<Uint8Array> {
    const { answer, candidate } = this.#opened;
    if (answer.failure !== null) return this.#ending.fail(judgeReportedFailure(this.#run, candidate, answer.failure));
    if (this.#exhausted && !answer.terminated) return this.#ending.cut();
    if (!answer.complete) return this.#ending.fail(judgeBrokenOff());
    return isNoAnswer(answer) ? this.#ending.fail(judgeEmpty()) : this.#ending.finish();
  }

  /** The client has left, and the vendor is left as well. */
  #leaveVendor(): void {
    const was_flowing = this.#state === "flowing";
    this.#end(() => this.#ending.leave(was_flowing));
  }

  /** Ends the stream once, in the way that comes first: closing the vendor's call may itself report a broken answer. */
  #end(close: () => Promise<Uint8Array>): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    void this.#sendLast(close);
  }

  /** Sends the closing frames once they are ready, and ends what is still open. Never rejects. */
  async #sendLast(close: () => Promise<Uint8Array>): Promise<void> {
    const { deps, call } = this.#run;
    try {
      const last = await close();
      this.#endClient(last);
      // In the same turn of the event loop: the client's next request finds the response.
      if (this.#ending.is_whole) remember(this.#run, this.#opened.candidate, last);
    } catch (thrown) {
      const err = toGatewayError(thrown);
      quietly(deps.log, () => deps.log.error({ request_id: call.request_id, err }, "a stream did not end in order"));
      if (!this.#left) this.#taker?.fail(thrown);
    }
    if (this.#closing === null) this.#tellEnd();
    await endRequest(this.#run, "internal_error");
  }

  /**
   * Ends the client's answer. A client that has not taken its last piece can take no other: its connection is cut, as it
   * would wait for ever.
   */
  #endClient(last: Uint8Array): void {
    const client = this.#client;
    this.#client = null;
    if (this.#left) return;
    if (client === null) return this.#taker?.fail(new Error("a piece of the answer could not be sent"));
    if (this.#opened.answer.is_bytes === true && !this.#ending.is_whole)
      return client.fail(new Error("an answer of bytes broke off"));
    if (last.byteLength <= SLICE_BYTES) return client.end(last);
    this.#closing = last;
    this.#sendClosing(client);
  }

  /** Sends a slice of closing frames that are too large to be sent at once. Never throws. */
  #sendClosing(client: AnswerTaker): void {
    const closing = this.#closing;
    if (closing === null) return;
    try {
      if (closing.byteLength > SLICE_BYTES) {
        this.#closing = closing.subarray(SLICE_BYTES);
        return client.take(closing.subarray(0, SLICE_BYTES));
      }
      this.#closing = null;
      client.end(closing);
    } catch (thrown) {
      this.#closing = null;
      client.fail(thrown);
    }
    this.#tellEnd();
  }

  /** Called when the client has taken the last bytes, or has left. */
  #tellEnd(): void {
    if (this.#is_over || !this.#is_started) return;
    this.#is_over = true;
    this.#run.deps.open_requests.streams -= 1;
  }
}
