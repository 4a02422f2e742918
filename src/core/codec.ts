import type { AssembledAnswer } from "./answer.ts";
import type { ErrorCode, GatewayError } from "./errors.ts";
import type { ClientHeaders, ClientRequest, Target, VendorFailure, WholeBody } from "./exchange.ts";
import type { GenerationRequest, OpaqueFamily } from "./generation.ts";
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
  readonly request: GenerationRequest;
  /** The client's request as it was sent, for protocols that echo parts of it in the answer. */
  readonly body: Readonly<Record<string, unknown>>;
  /** An estimate of the input tokens, for the event that opens a messages stream (docs/rulings.md 6). */
  readonly input_estimate_tokens: number;
  /** Unix seconds. */
  readonly created: number;
}

/**
 * Settings of a neutral request that not every vendor can honour. Translation leaves out what the target's traits deny,
 * and names it (docs/rulings.md 10). `cache_hints` are those on messages, parts and tools; `names` those of messages.
 */
export type Setting =
  | "parallel_tool_calls"
  | "temperature"
  | "top_p"
  | "top_k"
  | "presence_penalty"
  | "frequency_penalty"
  | "seed"
  | "logprobs"
  | "logit_bias"
  | "verbosity"
  | "end_user"
  | "metadata"
  | "prompt_cache_key"
  | "service_tier"
  | "cache_hints"
  | "names";

/** What an error or `x-camino-ignored` may name: a field of the neutral request. */
export type RequestField = keyof GenerationRequest | Setting;

export interface ClientCodec {
  /** The 400 code for what the target of a translated request cannot honour. */
  readonly refusal: ErrorCode;
  /** The client's own names of neutral fields, where they differ: `stop` is `stop_sequences` in messages. */
  readonly names: Readonly<Partial<Record<RequestField, string>>>;
  /**
   * The neutral request. Throws a GatewayError for what only a vendor of the same protocol can honour: the 400 names the
   * field.
   */
  decodeRequest(request: ClientRequest): GenerationRequest;
  openEncoder(context: AnswerContext): StreamEncoder;
  /** The body of a non-streamed answer, as JSON text. */
  encodeWhole(answer: AssembledAnswer, context: AnswerContext): string;
}

/**
 * Writes events as the client's server-sent events. It gets a legal sequence (core/stream-event.ts) that is checked
 * before it: `start` first, blocks one after the other, a `finish` whose reason and usage are final, never an `error`.
 */
export interface StreamEncoder {
  /** The frames for one event; empty when it shows nothing. `finish` gives the closing frames, terminal one included. */
  encode(event: StreamEvent): string;
  /** The frames that tell a failure after content. The last call. */
  fail(error: GatewayError, request_id: string): string;
}

/** What a vendor's protocol can express for one target. What it cannot, translation does in its place or leaves out. */
export interface VendorTraits {
  /** Which settings `encodeRequest` honours. Of the others it sees none: they were removed and named. */
  readonly honours: Readonly<Record<Setting, boolean>>;
  /** False: the gateway cuts the output at stop sequences itself (docs/rulings.md 14c), and `stop` is removed. */
  readonly stop_sequences: boolean;
  /** False: custom tools and their calls arrive as functions with one string argument (docs/rulings.md 11). */
  readonly custom_tools: boolean;
  /** Whether system messages that are `in_place` may stay messages. False: they arrive as a user's text. */
  readonly system_in_place: boolean;
  /** Types of hosted tools that `encodeRequest` passes on. */
  readonly hosted_tools: readonly string[];
  /** Output formats that the target has itself. Others become a tool that the model must call, and `format` is removed. */
  readonly json_schema: boolean;
  readonly json_object: boolean;
  /** Families whose opaque reasoning the target takes back; any other is removed (docs/rulings.md 12). */
  readonly families: readonly OpaqueFamily[];
}

export interface EncodedRequest {
  /** Appended to the endpoint's base URL. */
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What was left out beyond the traits: neutral fields, which are shown by the client's names, or any other text. */
  readonly ignored: readonly (RequestField | (string & {}))[];
}

/** A non-streamed answer as it was read. */
export interface DecodedAnswer {
  /** A legal sequence, ending in `finish` or `error`. */
  readonly events: readonly StreamEvent[];
  /** A usage that was not believed, for the log; null otherwise. */
  readonly rejected_usage: unknown;
}

export interface VendorCodec {
  /** `request` where it is known: some targets have a feature only where another is not used. */
  traits(target: Target, request?: GenerationRequest): VendorTraits;
  /**
   * Throws a GatewayError (`unsupported_parameter`, with the neutral field as `param` and quoted in the sentence) for what
   * the protocol or the target cannot express and what must not be left out. Translation renames both for the client.
   */
  encodeRequest(request: GenerationRequest, target: Target, headers: ClientHeaders): EncodedRequest;
  /** `request` is what `encodeRequest` got. */
  openDecoder(target: Target, request: GenerationRequest): StreamDecoder;
  /** Never throws. */
  decodeWhole(body: WholeBody, target: Target, request: GenerationRequest): DecodedAnswer;
  readError(status: number, body: string): VendorFailure;
}

/** Reads a vendor's stream into events. */
export interface StreamDecoder {
  /**
   * Events that are complete with these bytes, in order. Throws a GatewayError on frames beyond the size limits. `finish`
   * comes when the vendor's last frame was read, so that the usage is final; `tool-calls` and `stop` need not be told
   * apart, as translation derives the one from the blocks.
   */
  push(chunk: Uint8Array): readonly StreamEvent[];
  /** The vendor closed the stream. Gives the finish where the stream was complete, nothing otherwise. */
  end(): readonly StreamEvent[];
  /** The last usage that was not believed, for the log. */
  readonly rejected_usage: unknown;
  /** What the vendor said of the usage so far, also before the finish; null while it has said nothing believable. */
  readonly usage: Usage | null;
}
