import type { AnswerSource, AnswerTaker, ClientSignal } from "../../core/answer/answer-stream.ts";
import { bytesOf, isWhole } from "../../core/answer/sent-body.ts";
import { type GatewayError, toGatewayError } from "../../core/errors.ts";
import type { Log } from "../../observe/log.ts";
import { quietly } from "../../observe/quietly.ts";
import type { OwnedRequest } from "../answer/running-request.ts";
import type { WrittenAnswer } from "../call/call.ts";

/** The parts of a streamed answer that can be sent before the answer is made. */
export interface EarlyAnswer {
  /** The frame that tells a client that its answer is still being made. */
  readonly beat: Uint8Array;
  /** Writes the head. */
  begin(body: AnswerSource): WrittenAnswer;
  /** The whole stream of an answer that failed. */
  failed(error: GatewayError): Uint8Array;
}

/**
 * Resolves with the answer to a streamed request as soon as it is made, or with its head alone once the client has waited long
 * (docs/rulings.md 194): the status is then 200, and a later failure is reported inside the stream. Only the time of the head changes: the
 * request's owner and its charge are the same.
 */
export function inTime(
  { deps, signal }: OwnedRequest,
  answered: Promise<WrittenAnswer>,
  early: EarlyAnswer,
): Promise<WrittenAnswer> {
  return new Promise((resolve, reject) => {
    // A client whose head cannot be written goes on waiting for the answer.
    signal.onquiet = () =>
      quietly(deps.log, () => {
        const body = new AwaitedStream({ signal, log: deps.log }, early);
        resolve(early.begin(body));
        answered.then(
          (answer) => body.follow(answer),
          (thrown: unknown) => body.fail(thrown),
        );
      });
    answered.then(
      (answer) => {
        signal.onquiet = null;
        resolve(answer);
      },
      (thrown: unknown) => {
        signal.onquiet = null;
        reject(thrown);
      },
    );
  });
}

interface AwaitedContext {
  readonly signal: Pick<ClientSignal, "aborted">;
  readonly log: Log;
}

/** The body of an answer whose head was sent before the answer was made. */
class AwaitedStream implements AnswerSource {
  readonly #context: AwaitedContext;
  readonly #early: EarlyAnswer;
  #has_begun = false;
  /** The answer; null until it is made. */
  #source: AnswerSource | null = null;
  /** The frames of the whole stream where no answer could be made; else null. */
  #last: Uint8Array | null = null;
  /** The taker of the next piece, while one is wanted. */
  #taker: AnswerTaker | null = null;

  constructor(context: AwaitedContext, early: EarlyAnswer) {
    this.#context = context;
    this.#early = early;
  }

  pull(taker: AnswerTaker): void {
    if (!this.#has_begun) {
      this.#has_begun = true;
      return taker.take(this.#early.beat);
    }
    if (this.#source !== null) return this.#source.pull(taker);
    if (this.#last !== null) return taker.end(this.#last);
    this.#taker = taker;
  }

  /** The request's owner notices by itself that the client has left. */
  abort(): void {}

  beat(): Uint8Array | null {
    return this.#source === null ? this.#early.beat : (this.#source.beat?.() ?? null);
  }

  /** Sends the answer, which is made now. */
  follow({ body }: WrittenAnswer): void {
    if (isWhole(body)) return this.#end(bytesOf(body));
    this.#source = body;
    const taker = this.#taker;
    this.#taker = null;
    if (taker !== null && !this.#context.signal.aborted) body.pull(taker);
  }

  /** Ends the stream with an error, as the request has ended without an answer. Never throws. */
  fail(thrown: unknown): void {
    quietly(this.#context.log, () => this.#end(this.#early.failed(toGatewayError(thrown))));
    if (this.#last === null) this.#taker?.fail(thrown);
  }

  #end(last: Uint8Array): void {
    this.#last = last;
    this.#taker?.end(last);
  }
}
