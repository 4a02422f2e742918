import type { Exchange, StreamAnswer, WholeAnswer } from "../../core/answer/exchange.ts";
import { areTexts, bytesOf as joined } from "../../core/answer/sent-body.ts";
import type { BodyCall, BodyCalls, StreamPiece, StreamReport, WholeFacts, WorkerRequest } from "./messages.ts";
import { ownedUtf8 } from "./owned-bytes.ts";
import { errorFromWorker } from "./posted-error.ts";

/** By how much a sample must have grown to be sent again: all that is sent is then a few times its size at the end. */
const SAMPLE_GROWTH = 1.25;

/** An exchange in a body worker, with the answer that is read by it. */
export class HeldExchange {
  readonly #exchange: Exchange;
  #whole: WholeAnswer | null = null;
  #stream: StreamAnswer | null = null;
  #sampled_bytes = 0;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  answer(question: WorkerRequest): BodyCalls[BodyCall]["gives"] {
    switch (question.call) {
      case "readWhole":
        return this.#readWhole(question.asks);
      case "bodyWith":
        return bytesOf(bodyWith(this.#whole, question.asks));
      case "openStream":
        this.#stream = this.#exchange.openStream();
        return null;
      case "readError":
        return this.#exchange.readError(question.asks.status, question.asks.body);
      default:
        return this.#go(question);
    }
  }

  #readWhole({ body, told_tokens }: BodyCalls["readWhole"]["asks"]): WholeFacts {
    const sent = typeof body === "string" ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    const whole = this.#exchange.readWhole(sent, told_tokens);
    this.#whole = whole;
    const { failure, usage, rejected_usage, has_content, output_bytes, output_sample, output_media } = whole;
    return {
      ...{ failure, usage, has_content, output_bytes, output_sample, output_media },
      rejected_usage: sendable(rejected_usage),
    };
  }

  #go(question: WorkerRequest): StreamPiece {
    const stream = this.#stream;
    if (stream === null) throw new Error(`'${question.call}' was asked of a stream that is not open`);
    const bytes = step(stream, question);
    // A copy, as the stream may keep the bytes that it returns, and bytes that are handed over are gone in this thread.
    return { bytes: new Uint8Array(bytes), report: this.#report(stream) };
  }

  #report(stream: StreamAnswer): StreamReport {
    const { usage, rejected_usage, output_bytes, output_media, has_content, failure } = stream;
    const { complete, terminated, ended_early } = stream;
    const is_due = output_bytes >= this.#sampled_bytes * SAMPLE_GROWTH || complete || failure !== null;
    if (is_due) this.#sampled_bytes = output_bytes;
    return {
      ...{ usage, output_bytes, output_media, has_content, failure, complete, terminated },
      rejected_usage: sendable(rejected_usage),
      ended_early: ended_early === true,
      ...(is_due && { output_sample: stream.output_sample }),
    };
  }
}

function step(stream: StreamAnswer, question: WorkerRequest): Uint8Array {
  switch (question.call) {
    case "push":
      return stream.push(Buffer.from(question.asks.buffer, question.asks.byteOffset, question.asks.byteLength));
    case "end":
      return stream.end();
    case "finish":
      return stream.finish(question.asks.billed, question.asks.cost);
    case "cut":
      return stream.cut(question.asks.billed, question.asks.cost);
    case "fail":
      return failed(stream, question.asks);
    default:
      throw new Error(`'${question.call}' is no step of a stream`);
  }
}

function failed(stream: StreamAnswer, { error, request_id }: BodyCalls["fail"]["asks"]): Uint8Array {
  return stream.fail(errorFromWorker(error) as Parameters<StreamAnswer["fail"]>[0], request_id);
}

function bodyWith(whole: WholeAnswer | null, { billed, cost }: BodyCalls["bodyWith"]["asks"]): WholeAnswer["body"] {
  return whole?.bodyWith?.(billed, cost) ?? whole?.body ?? "";
}

function bytesOf(body: WholeAnswer["body"]): Uint8Array {
  // A copy, as what is handed over is gone here, and the body may be read again.
  if (body instanceof Uint8Array) return new Uint8Array(body);
  if (typeof body === "string") return ownedUtf8([body]);
  return areTexts(body) ? ownedUtf8(body) : new Uint8Array(joined(body));
}

/** The usage that a vendor sent, for the log: a large value would cost the serving thread the time that it is spared. */
function sendable(usage: unknown): unknown {
  if (usage === null || usage === undefined) return usage;
  const text = JSON.stringify(usage) ?? "";
  return text.length > MOST_LOGGED ? `${text.slice(0, MOST_LOGGED)} …` : usage;
}

const MOST_LOGGED = 4096;
