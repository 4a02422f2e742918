import type { EncodedBytes, RemoteDecision } from "../../core/answer/decision.ts";
import type {
  CollectedInput,
  RemoteCount,
  RemoteExchange,
  RemoteStream,
  RemoteWhole,
  SentBody,
  Target,
  VendorFailure,
  WholeBody,
} from "../../core/answer/exchange.ts";
import type { GenerationRequest } from "../../core/answer/generation.ts";
import type { GatewayError } from "../../core/errors.ts";
import type { Usage } from "../../core/money/usage.ts";
import type { BodyWorker } from "./body-worker.ts";
import type { BodyCall, BodyCalls, ExchangeFacts, StreamPiece } from "./messages.ts";
import { ownedBytes } from "./owned-bytes.ts";
import { postedError } from "./posted-error.ts";

type Ask = <Call extends BodyCall>(
  call: Call,
  asks: BodyCalls[Call]["asks"],
  moved?: ArrayBuffer[],
) => Promise<BodyCalls[Call]["gives"]>;

export class WorkerHeldBody implements RemoteDecision {
  readonly #ask: Ask;
  readonly #release: () => void;

  /** `released` is called once. */
  constructor(worker: BodyWorker, body_id: number, released: () => void) {
    this.#ask = (call, asks, moved) => worker.ask(body_id, call, asks, moved);
    let is_released = false;
    this.#release = () => {
      if (is_released) return;
      is_released = true;
      worker.release(body_id);
      released();
    };
  }

  async prepare(target: Target, granted_cap: number | undefined): Promise<RemoteExchange> {
    return new ExchangeInWorker(this.#ask, await this.#ask("prepare", { target, granted_cap }));
  }

  prepareCount(target: Target): Promise<RemoteCount> {
    return this.#ask("prepareCount", { target });
  }

  encodeDecision(target: Target): Promise<EncodedBytes> {
    return this.#ask("encodeDecision", { target });
  }

  encodeCall(target: Target, request: GenerationRequest): Promise<EncodedBytes> {
    return this.#ask("encodeCall", { target, request });
  }

  collectInput(): Promise<CollectedInput> {
    return this.#ask("collectInput", null);
  }

  release(): void {
    this.#release();
  }
}

class ExchangeInWorker implements RemoteExchange {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly ignored: readonly string[];
  readonly charged: NonNullable<RemoteExchange["charged"]>;
  readonly tokens_header?: string;
  readonly #ask: Ask;

  constructor(ask: Ask, { path, headers, body, ignored, charged = [], tokens_header }: ExchangeFacts) {
    this.path = path;
    this.headers = headers;
    this.body = body;
    this.ignored = ignored;
    this.charged = charged;
    if (tokens_header !== undefined) this.tokens_header = tokens_header;
    this.#ask = ask;
  }

  async readWhole(body: WholeBody, told_tokens?: number): Promise<RemoteWhole> {
    const sent = typeof body === "string" ? body : ownedBytes(body);
    const facts = await this.#ask(
      "readWhole",
      { body: sent, told_tokens },
      typeof sent === "string" ? [] : [sent.buffer],
    );
    return { ...facts, bodyWith: (billed, cost): Promise<SentBody> => this.#ask("bodyWith", { billed, cost }) };
  }

  openStream(): RemoteStream {
    return new StreamInWorker(this.#ask);
  }

  readError(status: number, body: string): Promise<VendorFailure> {
    return this.#ask("readError", { status, body });
  }
}

/** A stream that a body worker reads. The worker takes one step after the other, in the order in which they are asked. */
class StreamInWorker implements RemoteStream {
  usage: RemoteStream["usage"] = null;
  rejected_usage: unknown = null;
  output_bytes = 0;
  output_sample = "";
  output_media: RemoteStream["output_media"];
  has_content = false;
  failure: RemoteStream["failure"] = null;
  complete = false;
  terminated = false;
  ended_early = false;
  readonly #ask: Ask;
  readonly #opened: Promise<unknown>;

  constructor(ask: Ask) {
    this.#ask = ask;
    this.#opened = ask("openStream", null);
    // The caller that takes the first step gets the failure; until then it must not count as unhandled.
    this.#opened.catch(() => {});
  }

  async push(chunk: Uint8Array): Promise<Uint8Array> {
    // A part of what the socket has read: handing its buffer over would take the rest away.
    const copy = new Uint8Array(chunk);
    return await this.#take(this.#ask("push", copy, [copy.buffer]));
  }

  end(): Promise<Uint8Array> {
    return this.#take(this.#ask("end", null));
  }

  finish(billed?: Usage, cost?: string): Promise<Uint8Array> {
    return this.#take(this.#ask("finish", { billed, cost }));
  }

  cut(billed: Usage, cost?: string): Promise<Uint8Array> {
    return this.#take(this.#ask("cut", { billed, cost }));
  }

  fail(error: GatewayError, request_id: string): Promise<Uint8Array> {
    return this.#take(this.#ask("fail", { error: postedError(error), request_id }));
  }

  async #take(step: Promise<StreamPiece>): Promise<Uint8Array> {
    // Before `step` is awaited, so that a stream that could not be opened says why.
    const [{ bytes, report }] = await Promise.all([step, this.#opened]);
    const { output_sample = this.output_sample, ...rest } = report;
    Object.assign(this, rest);
    this.output_sample = output_sample;
    return bytes;
  }
}
