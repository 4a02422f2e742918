import type { StreamDecoder, StreamEncoder } from "../../core/answer/codec.ts";
import type { StreamAnswer, VendorFailure } from "../../core/answer/exchange.ts";
import type { FinishEvent, StartEvent, StreamEvent } from "../../core/answer/stream-event.ts";
import type { GatewayError } from "../../core/errors.ts";
import { replacementUsage, type Usage } from "../../core/money/usage.ts";
import { EveryAnswer } from "./every-answer.ts";
import type { AnswerPasses } from "./fit-request.ts";

const NOTHING: Uint8Array = Buffer.alloc(0);
const CUT: FinishEvent = { type: "finish", reason: "stop", stop_sequence: null, raw_reason: null, usage: null };

/**
 * A vendor's stream on its way to a client of another protocol: decoder, passes, encoder. The opening frames are sent
 * with the first content, so that a failure before it still has its status; the closing frames wait for `finish`
 * (docs/rulings.md 70).
 */
export class TranslatedStream implements StreamAnswer {
  failure: VendorFailure | null = null;
  ended_early = false;
  readonly #decoder: StreamDecoder;
  readonly #encoder: StreamEncoder;
  readonly #stop: AnswerPasses["stop"];
  readonly #answer: EveryAnswer;
  #start: StartEvent | null = null;
  #finish: FinishEvent | null = null;
  #out = "";

  constructor(decoder: StreamDecoder, encoder: StreamEncoder, { passes, stop }: AnswerPasses) {
    this.#decoder = decoder;
    this.#encoder = encoder;
    this.#stop = stop;
    this.#answer = new EveryAnswer(passes, (event) => this.#show(event));
  }

  get usage(): Usage | null {
    return this.#decoder.usage;
  }

  get rejected_usage(): unknown {
    return this.#decoder.rejected_usage;
  }

  get has_content(): boolean {
    return this.#answer.meter.has_content;
  }

  get output_bytes(): number {
    return this.#answer.meter.bytes;
  }

  /** The generated text for an estimate. It is always kept, because the vendor's usage may never come. */
  get output_sample(): string {
    return this.#answer.meter.sample;
  }

  get complete(): boolean {
    return this.#finish !== null;
  }

  get terminated(): boolean {
    return this.#finish !== null;
  }

  push(chunk: Uint8Array): Uint8Array {
    return this.#isOver ? NOTHING : this.#takeAll(this.#decoder.push(chunk));
  }

  end(): Uint8Array {
    return this.#isOver ? NOTHING : this.#takeAll(this.#decoder.end());
  }

  finish(billed?: Usage, cost?: string): Uint8Array {
    const finish = this.#finish ?? CUT;
    return this.#close({ ...finish, usage: replacementUsage(billed, this.usage) ?? this.usage ?? finish.usage, cost });
  }

  cut(usage: Usage, cost?: string): Uint8Array {
    const reason = this.#finish?.reason ?? "length";
    return this.#close({ ...(this.#finish ?? CUT), reason, usage, cost });
  }

  fail(error: GatewayError, request_id: string): Uint8Array {
    return Buffer.from(this.#encoder.fail(error, request_id));
  }

  get #isOver(): boolean {
    return this.#finish !== null || this.failure !== null;
  }

  #takeAll(events: readonly StreamEvent[]): Uint8Array {
    for (const event of events) {
      if (this.#isOver) break;
      this.#answer.take(event);
    }
    if (!this.#isOver && this.#stop !== null && this.#stop.matched !== null) this.#endEarly();
    return this.has_content ? this.#flush() : NOTHING;
  }

  /**
   * Ends the answer, because the client has all of it: the vendor's further output is neither waited for nor paid for.
   */
  #endEarly(): void {
    this.ended_early = true;
    this.#answer.take(CUT);
  }

  #show(event: StreamEvent): void {
    switch (event.type) {
      case "start":
        this.#start = event;
        return;
      case "error":
        this.failure = { status: event.status, message: event.message, retry_after_ms: event.retry_after_ms };
        return;
      case "finish":
        this.#finish = event;
        return;
      case "block-start":
      case "block-delta":
      case "block-end":
        if (this.#start !== null) this.#open();
        this.#out += this.#encoder.encode(event);
        return;
    }
  }

  #open(): void {
    if (this.#start !== null) this.#out += this.#encoder.encode(this.#start);
    this.#start = null;
  }

  /** Closes the open block, if there is one, and ends the answer. */
  #close(finish: FinishEvent): Uint8Array {
    this.#open();
    const open = this.#answer.order.open;
    if (open !== -1) this.#out += this.#encoder.encode({ type: "block-end", index: open });
    this.#out += this.#encoder.encode(finish);
    return this.#flush();
  }

  #flush(): Uint8Array {
    if (this.#out === "") return NOTHING;
    const bytes = Buffer.from(this.#out);
    this.#out = "";
    return bytes;
  }
}
