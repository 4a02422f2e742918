import type { AnswerSource, AnswerTaker } from "../../core/answer/answer-stream.ts";
import { bytesOf, isWhole } from "../../core/answer/sent-body.ts";
import { type GatewayError, toGatewayError } from "../../core/errors.ts";
import type { Log } from "../../observe/log.ts";
import { quietly } from "../../observe/quietly.ts";
import type { RunningRequest } from "../answer/running-request.ts";
import type { BilledCall, WrittenAnswer } from "../call/call.ts";

/** What an answer needs to begin before it is made. */
export interface EarlyAnswer {
  /** What tells the client that its answer is still being made. */
  readonly beat: Uint8Array;
  /** Writes the head. */
  begin(body: AnswerSource): WrittenAnswer;
  /** The whole stream of an answer that failed. */
  failed(error: GatewayError): Uint8Array;
}

/**
 * The answer to a streamed request, as soon as it is made. A client that has waited for long gets its head before (docs/rulings.md
 * 194): the status is then 200 whatever follows, and a failure is told inside the stream. Who owns the request, and what is charged,
 * is as ever: this decides nothing but when the head goes out.
 */
export function inTime(
  { call, deps, signal }: RunningRequest,
  answered: Promise<WrittenAnswer>,
  early: EarlyAnswer,
): Promise<WrittenAnswer> {
  return new Promise((resolve, reject) => {
    // Where the head cannot be written, the client waits on.
    signal.onquiet = () =>
      quietly(deps.log, () => {
        const body = new AwaitedStream({ call, log: deps.log }, early);
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

/** The body of an answer whose head has gone out before there is an answer. */
class AwaitedStream implements AnswerSource {
  readonly #context: { readonly call: BilledCall; readonly log: Log };
  readonly #early: EarlyAnswer;
  #has_begun = false;
  /** The answer, once there is one. */
  #source: AnswerSource | null = null;
  /** The whole stream where it failed. */
  #last: Uint8Array | null = null;
  /** The taker of the next piece, while one is wanted. */
  #taker: AnswerTaker | null = null;

  constructor(context: { readonly call: BilledCall; readonly log: Log }, early: EarlyAnswer) {
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

  /** The answer is made. */
  follow({ body }: WrittenAnswer): void {
    if (isWhole(body)) return this.#end(bytesOf(body));
    this.#source = body;
    const taker = this.#taker;
    this.#taker = null;
    if (taker !== null && !this.#context.call.signal.aborted) body.pull(taker);
  }

  /** There is no answer, and the request has ended. Never throws. */
  fail(thrown: unknown): void {
    const { call, log } = this.#context;
    quietly(log, () => this.#end(this.#early.failed(toGatewayError(thrown))));
    if (this.#last === null) this.#taker?.fail(thrown);
    quietly(log, () => call.sent());
  }

  #end(last: Uint8Array): void {
    this.#last = last;
    this.#taker?.end(last);
  }
}
