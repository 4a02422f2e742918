import type { ErrorCode, GatewayError } from "../errors.ts";
import type { Usage } from "../money/usage.ts";
import type { AssembledAnswer } from "./answer.ts";
import type { ClientHeaders, ClientRequest, RequestMemory, Target, VendorFailure, WholeBody } from "./exchange.ts";
import type { GenerationRequest, OpaqueFamily } from "./generation.ts";
import type { StreamEvent } from "./stream-event.ts";

/**
 * The two halves of a protocol for translation: a client half and a vendor half. The client half turns a client's request into
 * the neutral request, and neutral events into the client's bytes; the vendor half does the opposite. Relay uses
 * neither.
 */

/** The facts about an answer that the encoders of all protocols need. */
export interface AnswerContext {
  /** The catalogue id that the answer shows as its model. */
  readonly model: string;
  readonly request: GenerationRequest;
  /** The client's request as it was sent, for protocols that echo parts of it in the answer. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Set for protocols whose answers say whether they are stored. */
  readonly memory?: RequestMemory;
  /** An estimate of the input tokens, for the event that opens a messages stream (docs/rulings.md 6). */
  readonly input_estimate_tokens: number;
  /** Unix seconds. */
  readonly created: number;
}

/**
 * Settings of a neutral request that not every vendor can honour. Translation removes the settings that the target's
 * traits deny, and names them (docs/rulings.md 10). `cache_hints` are the hints on messages, parts and tools; `names`
 * are the names on messages.
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

/** The traits of a protocol that honours none of these settings: one that honours some says which. */
export const HONOURS_NONE: Readonly<Record<Setting, boolean>> = {
  ...{ parallel_tool_calls: false, temperature: false, top_p: false, top_k: false, presence_penalty: false },
  ...{ frequency_penalty: false, seed: false, logprobs: false, logit_bias: false, verbosity: false, end_user: false },
  ...{ metadata: false, prompt_cache_key: false, service_tier: false, cache_hints: false, names: false },
};

/** A field of the neutral request, as an error or `x-camino-ignored` may name it. */
export type RequestField = keyof GenerationRequest | Setting;

export interface ClientCodec {
  /** The code of the 400 that answers a translated request which its target cannot honour. */
  readonly refusal: ErrorCode;
  /** The client's own names of neutral fields, where they differ: `stop` is `stop_sequences` in messages. */
  readonly names: Readonly<Partial<Record<RequestField, string>>>;
  /** The client's name of the number of answers. */
  readonly choices_name: string;
  /**
   * Reads the neutral request. Throws a GatewayError for what only a vendor of the same protocol can honour: the 400
   * names the field.
   */
  decodeRequest(request: ClientRequest): GenerationRequest;
  openEncoder(context: AnswerContext): StreamEncoder;
  /** The body of a non-streamed answer, as JSON text. */
  encodeWhole(answer: AssembledAnswer, context: AnswerContext): string;
}

/**
 * Writes events as the client's server-sent events. Its input is a legal sequence (core/answer/stream-event.ts), which the
 * caller has checked: `start` first, blocks one after the other, a `finish` with the final reason and usage, never an
 * `error`.
 */
export interface StreamEncoder {
  /**
   * The frames of one event; empty for an event that clients do not see. `finish` gives the closing frames with the
   * terminal one.
   */
  encode(event: StreamEvent): string;
  /** The frames that report a failure after content. No call follows. */
  fail(error: GatewayError, request_id: string): string;
}

/** The abilities of a vendor's protocol for one target. Translation emulates everything else or leaves it out. */
export interface VendorTraits {
  /** Which settings `encodeRequest` honours. Translation has removed and named all others before it calls. */
  readonly honours: Readonly<Record<Setting, boolean>>;
  /** False: the gateway cuts the output at stop sequences itself (docs/rulings.md 14c), and `stop` is removed. */
  readonly stop_sequences: boolean;
  /** False: custom tools and their calls arrive as functions with one string argument (docs/rulings.md 11). */
  readonly custom_tools: boolean;
  /** Whether system messages that are `in_place` may stay messages. False: they arrive as a user's text. */
  readonly system_in_place: boolean;
  /** The ids of calls that the target takes; all others are replaced (docs/rulings.md 191). */
  readonly call_ids: RegExp;
  /** Types of hosted tools that `encodeRequest` passes on. */
  readonly hosted_tools: readonly string[];
  /**
   * Whether the target has `json_schema` itself. If not, it becomes a tool that the model must call, and `format` is
   * removed.
   */
  readonly json_schema: boolean;
  readonly json_object: boolean;
  /** Families whose opaque reasoning the target takes back; that of other families is removed (docs/rulings.md 12). */
  readonly families: readonly OpaqueFamily[];
}

export interface EncodedRequest {
  /** Appended to the endpoint's base URL. */
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The parts that were left out beyond the traits: neutral fields, which are shown under the client's names, or other texts. */
  readonly ignored: readonly (RequestField | (string & {}))[];
}

export interface DecodedAnswer {
  /** A legal sequence, ending in `finish` or `error`. */
  readonly events: readonly StreamEvent[];
  /** A usage that cannot be believed, for the log; null otherwise. */
  readonly rejected_usage: unknown;
}

export interface VendorCodec {
  /** `request` is absent where it is not known. Some targets have a feature only while another feature is not used. */
  traits(target: Target, request?: GenerationRequest): VendorTraits;
  /**
   * Throws a GatewayError (`unsupported_parameter`, with the neutral field as `param` and quoted in the sentence) for
   * what the protocol or the target cannot express and translation must not leave out. Translation replaces both
   * mentions by the client's name of the field.
   */
  encodeRequest(request: GenerationRequest, target: Target, headers: ClientHeaders): EncodedRequest;
  /** `request` is the request that `encodeRequest` received. */
  openDecoder(target: Target, request: GenerationRequest): StreamDecoder;
  /** Never throws. */
  decodeWhole(body: WholeBody, target: Target, request: GenerationRequest): DecodedAnswer;
  readError(status: number, body: string): VendorFailure;
}

/** Reads a vendor's stream into events. */
export interface StreamDecoder {
  /**
   * The events that these bytes complete, in order; an `error` behind them at a frame beyond the size limits. `finish`
   * comes after the vendor's last frame, so that the usage is final; the decoder may give `stop` for `tool-calls`, as
   * translation derives `tool-calls` from the blocks.
   */
  push(chunk: Uint8Array): readonly StreamEvent[];
  /** Called when the vendor closed the stream. Returns the finish where the stream is complete, nothing otherwise. */
  end(): readonly StreamEvent[];
  /** The last usage that could not be believed, for the log. */
  readonly rejected_usage: unknown;
  /** The vendor's latest usage, also before the finish; null while the vendor has sent none that can be believed. */
  readonly usage: Usage | null;
}
