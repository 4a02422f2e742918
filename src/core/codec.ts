import type { ClientHeaders, ClientRequest, Target, VendorFailure } from "./exchange.ts";
import type { GenerationRequest } from "./generation.ts";
import type { GatewayError } from "./errors.ts";
import type { StreamEvent } from "./stream-event.ts";
import type { Usage } from "./usage.ts";

/**
 * What a protocol offers to translation: its two halves. A client half turns a client's request into the neutral one and
 * the neutral events into the client's bytes; a vendor half does the opposite. Relay uses neither.
 */

/** What every encoder of an answer has to know. */
export interface AnswerContext {
  /** The catalogue id that the answer shows as its model. */
  readonly model: string;
  /** Ours: `req_…`. */
  readonly request_id: string;
  readonly request: GenerationRequest;
  /** The client's request as it was sent, for protocols that echo parts of it in the answer. */
  readonly body: Readonly<Record<string, unknown>>;
  /** An estimate of the input tokens, for the event that opens a messages stream (docs/rulings.md 6). */
  readonly input_estimate_tokens: number;
  /** Unix seconds. */
  readonly created: number;
}

export interface ClientCodec {
  /**
   * The neutral request. Throws a GatewayError for what only a vendor of the same protocol can honour: the 400 names the
   * field.
   */
  decodeRequest(request: ClientRequest): GenerationRequest;
  openEncoder(context: AnswerContext): StreamEncoder;
  /** The body of a non-streamed answer: the fold of the events, which hold no `error`. */
  encodeWhole(events: readonly StreamEvent[], context: AnswerContext): string;
}

/** Writes events as the client's server-sent events. */
export interface StreamEncoder {
  /** The frames for one event; empty when it shows nothing. `finish` gives the closing frames, terminal one included. */
  encode(event: StreamEvent): string;
  /** The frames that tell a failure after content. */
  fail(error: GatewayError): string;
}

export interface EncodedRequest {
  /** Appended to the endpoint's base URL. */
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parameters of the client's dialect that were left out. */
  readonly ignored: readonly string[];
}

export interface VendorCodec {
  /** Throws a GatewayError (400, naming the field) for what the protocol or the target cannot express. */
  encodeRequest(request: GenerationRequest, target: Target, headers: ClientHeaders): EncodedRequest;
  openDecoder(target: Target, request: GenerationRequest): StreamDecoder;
  /** A non-streamed answer as events, ending in `finish` or `error`. Never throws. */
  decodeWhole(body: Uint8Array, target: Target, request: GenerationRequest): readonly StreamEvent[];
  readError(status: number, body: string): VendorFailure;
}

/** Reads a vendor's stream into events. */
export interface StreamDecoder {
  /** Events that are complete with these bytes, in order. Throws a GatewayError on frames beyond the size limits. */
  push(chunk: Uint8Array): readonly StreamEvent[];
  /** The vendor closed the stream. Gives the finish where the stream was complete, nothing otherwise. */
  end(): readonly StreamEvent[];
  /** The last usage that was not believed, for the log. */
  readonly rejected_usage: unknown;
  /** What the vendor said of the usage so far, also before the finish; null while it has said nothing believable. */
  readonly usage: Usage | null;
}
