import type { Model, ModelKind, Vendor, VendorEndpoint } from "../catalog/catalog.ts";
import type { ErrorStyle, GenerationEndpoint, ModelEndpoint, Protocol } from "../endpoints.ts";
import type { ErrorCode, ErrorDetails, GatewayError } from "../errors.ts";
import type { JsonMembers } from "../json.ts";
import type { Later } from "../later.ts";
import type { ChargedMember } from "../money/charges.ts";
import type { Price } from "../money/price.ts";
import type { UnitCounts } from "../money/price-classes.ts";
import type { Usage } from "../money/usage.ts";
import type { FormPart } from "./form-part.ts";

/**
 * The contract between the pipeline and the protocols. The pipeline knows one shape of exchange; whether bytes are
 * relayed (client and vendor speak the same protocol) or translated is the protocol's business.
 */

/** A client's request, checked against the specification, before a vendor is chosen. */
export interface ClientRequest {
  readonly protocol: Protocol;
  /** The model as the client named it: an id or an alias. */
  readonly model: string;
  readonly stream: boolean;
  /** The client's cap on output tokens; null when it gave none. */
  readonly output_cap: number | null;
  /**
   * The cap on the output of each answer that the gateway sends where the client gave none, as no more is held. Absent on
   * most requests (docs/rulings.md 142).
   */
  readonly granted_cap?: number;
  /** How many answers were asked for (`n`), each of which may use the whole output cap. */
  readonly choices: number;
  /** An upper bound of the input's tokens, from its bytes; no tokenizer involved (docs/rulings.md 25). */
  readonly input_bound_tokens: number;
  /** The body as the client sent it. */
  readonly text: string;
  /** The body, parsed once. Read-only: a protocol that changes fields builds a new text. */
  readonly body: Readonly<Record<string, unknown>>;
  /**
   * The positions of the body's top-level members in `text`, where the protocol has located them: a retry reuses them.
   */
  readonly members?: JsonMembers;
  /** The members that change the charge (docs/rulings.md 144); absent or empty for most requests. */
  readonly charged?: readonly ChargedMember[];
  /**
   * What the request has beside tokens that a price may be for, each at its most: it is what is charged where the vendor counts none, and
   * no more is believed (docs/rulings.md 220). Absent on most requests.
   */
  readonly units?: UnitCounts;
  /** The place of a document in what the user says, which the operator may allow (docs/rulings.md 189); mostly absent. */
  readonly document?: string;
  /** An effort that only some models have (docs/rulings.md 188); absent on most requests. */
  readonly effort?: RareEffort;
  /** The parts of a form, whose fields `body` has as far as they are looked at: nobody walks through its files. */
  readonly form?: readonly FormPart[];
  /** What is kept in memory for the request until it has ended; absent on most requests. */
  readonly kept?: { release(): void };
  /** Absent where neither the request nor its answer concerns stored responses. */
  readonly memory?: RequestMemory;
  /**
   * Set for a large body, which another thread has read and holds. `text` and `body` then have only what is looked at
   * after a request was read, and `members` is absent (docs/adr/0027-body-workers.md).
   */
  readonly remote?: RemoteBody;
  /** What tells the conversation from others, where another thread has read the body. */
  readonly conversation?: { readonly cache_key: string | null; readonly beginning: string | null };
  /** The hash by which a repeated request is recognised, where another thread has computed it. */
  readonly fingerprint?: string;
  /** The input that an estimate counts, where it is not all names and texts of the body. Absent on a request with `remote`. */
  collectInput?(most_characters: number): CollectedInput;
}

/** A reasoning effort beyond those that every model takes: its place in the body, and the code of the 400 elsewhere. */
export interface RareEffort {
  readonly level: string;
  readonly place: string;
  readonly code: ErrorCode;
}

/** A request's relation to stored responses (docs/adr/0017). */
export interface RequestMemory {
  /** Whether the answer is stored. */
  readonly stores: boolean;
  /** The response that the client continues from: its items are in the body's input by now. */
  readonly previous_response_id: string | null;
  /** The items of the body's input, by identity, that came from stored answers. */
  readonly recalled: ReadonlyMap<unknown, RecalledItem>;
  /** The items as the client sent them, references unresolved, and their JSON. */
  readonly sent: SentItems;
  /** Keys of the stored responses that the input was built from. */
  readonly used_keys: readonly string[];
}

/** The items of a request's input as its client sent them, and their JSON. */
export interface SentItems {
  readonly items: readonly unknown[];
  readonly text: string;
  /** The JSON as bytes, where another thread has read them: the text is then made when somebody asks for it. */
  readonly bytes?: Uint8Array;
}

export interface RecalledItem {
  /** The vendor whose answer contained the item. */
  readonly vendor: string;
  readonly response_key: string;
}

/** The destination of a request: one candidate of the routing. */
export interface Target {
  readonly model: Model;
  readonly vendor: Vendor;
  readonly endpoint: VendorEndpoint;
  readonly upstream_model: string;
  /** The model's usual price list. Absent where nothing is charged: vendor tests and token counts. */
  readonly price?: Price;
}

/** Headers of the client's request that a protocol may pass on (`anthropic-version`, `anthropic-beta`). */
export type ClientHeaders = { get(name: string): string | null };

/** The shape of a billed endpoint: how clients speak to us. */
export interface EndpointProtocol {
  readonly protocol: Protocol;
  readonly error_style: ErrorStyle;
  readonly endpoint: GenerationEndpoint | ModelEndpoint;
  readonly kind: ModelKind;
  /** The endpoint's general 400 code, for errors that the tables do not name (docs/rulings.md 19a). */
  readonly general_error: ErrorCode;
  /** The most bytes of a body, where that is less than for all endpoints. */
  readonly most_body_bytes?: number;
  /** The most input tokens of a request, where they are bounded beside the bytes: exact, or by the estimate. */
  readonly most_input_tokens?: number;
  /**
   * Checks a request body against the specification. `text` is the raw body. Throws a GatewayError that says what was
   * found, what is allowed and where. Also checks the header rules of the style (the version header).
   */
  readRequest(text: string, headers: ClientHeaders): ClientRequest;
  /** The same of a form; absent where the endpoint takes none. The request's files are views of its parts. */
  readForm?(parts: readonly FormPart[]): Later<ClientRequest>;
}

/** A public generation style, whose answers may be streamed. */
export interface ClientProtocol extends EndpointProtocol {
  readonly endpoint: GenerationEndpoint;
  /** What is sent to a client that waits for more of a stream: it says nothing but that the stream goes on (docs/rulings.md 194). */
  readonly beat: Uint8Array;
  /** The media type of a streamed answer, where that is not a stream of events. */
  readonly stream_type?: string;
  /** A whole stream that failed before it brought anything, for a client whose answer has its status already. */
  failedStream(error: GatewayError, about: { readonly model: string; readonly request_id: string }): Uint8Array;
}

/** The report on an answer at its end, or so far. */
export interface AnswerReport {
  /** The vendor's usage, converted to disjoint classes; null when the vendor sent none that can be believed. */
  readonly usage: Usage | null;
  /** Set when the vendor sent a usage that cannot be believed, for the log. */
  readonly rejected_usage: unknown;
  /** UTF-8 bytes of generated text, reasoning and tool arguments that passed: what an estimate starts from. */
  readonly output_bytes: number;
  /** Generated text so far, only as much as an estimate needs (capped); empty while the vendor sends usage. */
  readonly output_sample: string;
  /** What passed that is no text, with about how many tokens it is: what an estimate counts of it. Absent where all is text. */
  readonly output_media?: OutputMedia | undefined;
}

export interface OutputMedia {
  readonly part: "output_image" | "output_audio";
  readonly tokens: number;
}

/** A failure that a vendor reported inside its answer, before it is mapped. */
export interface VendorFailure {
  /** The HTTP status that the vendor gave or that its error type stands for. */
  readonly status: number;
  readonly message: string;
  readonly retry_after_ms: number | null;
  /** The place in a relayed body that a style A vendor names. */
  readonly param?: string;
  /** What a style B vendor says of a relayed body beside its sentence, without what is the operator's. */
  readonly details?: ErrorDetails;
}

/** A complete body: bytes, or a text that equals them in UTF-8. */
export type WholeBody = string | Uint8Array;

/** A body to be sent: whole, or in parts, which nobody joins. No text among them ends within a character. */
export type SentBody = WholeBody | readonly WholeBody[];

export interface WholeAnswer extends AnswerReport {
  /** The body for the client: the vendor's body with the model's name replaced. Text goes out as UTF-8. */
  readonly body: SentBody;
  /** Whether the answer has anything besides its end. */
  readonly has_content: boolean;
  /** Set when the 200 carried an error or something other than an answer. */
  readonly failure: VendorFailure | null;
  /**
   * The body with the billed usage, where that is not the vendor's, and with the value of the usage's `cost`, where that is shown
   * (docs/rulings.md 169).
   */
  bodyWith?(billed: Usage | null, cost?: string): SentBody;
}

/**
 * A streamed answer. The pipeline feeds it the vendor's bytes and forwards what it returns. It withholds the frames
 * that end the stream until `finish`, so that they follow the settlement.
 */
export interface StreamAnswer extends AnswerReport {
  /** True once a content-bearing event passed: a failure after it is charged for what was delivered. */
  readonly has_content: boolean;
  /** Set when the vendor reported a failure inside the stream; bytes pushed after it are ignored. */
  readonly failure: VendorFailure | null;
  /** True once the vendor marked the answer as complete. A stream that ends without this mark is broken. */
  readonly complete: boolean;
  /** True once the protocol's last frame arrived: nothing after it is read. Implies `complete`. */
  readonly terminated: boolean;
  /**
   * True when the gateway ended the answer while the vendor is still writing: the vendor's connection is then closed.
   */
  readonly ended_early?: boolean;
  /** True for an answer of bytes, which no frame could tell from a whole one once it has failed: its connection is cut. */
  readonly is_bytes?: true;
  /**
   * Takes the next bytes, split anywhere, and returns what the client gets now: whole frames with the model's name
   * replaced. Empty while a frame is incomplete. A frame that reports a failure returns nothing, and a line or event
   * beyond the size limits is a failure: what came before it is returned, however the bytes were cut.
   */
  push(chunk: Uint8Array): Uint8Array;
  /** Called when the vendor closed the stream: a last frame without its blank line is processed now. */
  end(): Uint8Array;
  /**
   * The frames that end the stream well: the withheld ones, or the gateway's own where the vendor sent none. Where
   * `billed` is not what the vendor told, it is shown instead (docs/rulings.md 58). `cost` is the value of the usage's `cost`,
   * where that is shown (169).
   */
  finish(billed?: Usage, cost?: string): Uint8Array;
  /** The frames that end the stream with `length` and this usage, when the hold cannot be extended any further. */
  cut(usage: Usage, cost?: string): Uint8Array;
  /** The frames that end the stream with an error after content (docs/rulings.md 9), never with a clean end. */
  fail(error: GatewayError, request_id: string): Uint8Array;
}

/** A request made ready for one target. */
export interface Exchange {
  /** Appended to the endpoint's base URL: `/chat/completions`. */
  readonly path: string;
  readonly body: string;
  /** `body` in parts, where most of it is the client's text: the parts are sent one after the other, without a copy. */
  readonly parts?: readonly string[];
  /** The body as pieces of bytes in place of `body`, where it has files: they are sent one after the other, without a copy. */
  readonly pieces?: readonly Uint8Array[];
  /** Headers that the protocol adds to the credential and content type. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parameters that were left out because the target cannot honour them: named in `x-camino-ignored`. */
  readonly ignored: readonly string[];
  /** Members of the request that ask the vendor for more than the model, each with a price (docs/rulings.md 144); mostly absent. */
  readonly charged?: readonly ChargedMember[];
  /** The header in which the vendor counts the input, where its answers do not. */
  readonly tokens_header?: string;
  /** The type of the client's answer where it is neither JSON nor a stream of events. */
  readonly content_type?: string;
  /** Whether an answer of any size is read in less time than handing it to another thread takes. */
  readonly is_light?: true;
  /** Reads a non-streamed answer. Never throws: a body that cannot be read is a `failure`. `told_tokens`: what `tokens_header` says. */
  readWhole(body: WholeBody, told_tokens?: number): WholeAnswer;
  /** Reads an answer in the pieces in which it arrived, which may go to the client as they are; null where it has to be read whole. Never throws. */
  readPieces?(pieces: readonly Buffer[]): WholeAnswer | null;
  openStream(): StreamAnswer;
  readError(status: number, body: string): VendorFailure;
}

/** How requests in a client's protocol get to a vendor in its protocol, and answers back: a relay or a translation. */
export interface ProtocolAdapter {
  /** Throws a GatewayError when the target cannot honour the request (a 400 that names the field). */
  prepare(request: ClientRequest, target: Target, headers: ClientHeaders): Exchange;
}

/** The request for which the other form of an answer is made, and what it shows. */
export interface ConvertedFor {
  readonly request: ClientRequest;
  readonly target: Target;
  readonly usage: Usage;
  /** The value of the usage's `cost`, where that is shown. */
  readonly cost: string | undefined;
}

/** Makes the other form of an answer in its client's own protocol; null where that is not possible. May throw. */
export interface AnswerConverter {
  toStream(whole: Uint8Array, about: ConvertedFor): Uint8Array | null;
  toWhole(stream: Uint8Array, about: ConvertedFor): Uint8Array | null;
}

/**
 * Large bodies are worked on by other threads (docs/adr/0027-body-workers.md). What follows are the same contracts with
 * promises in place of values.
 */

/** The parts of a request's input that an estimate needs. */
export interface CollectedInput {
  /** Names and texts as a model would read them, in no particular order: only as much as a tokenizer is given. */
  readonly sample: string;
  /** UTF-16 units of all names and texts. */
  readonly characters: number;
  /** The tokens of images, files and sound, and of what the vendor has stored. */
  readonly media_tokens: number;
}

/**
 * A request's body in another thread. Every function rejects with the GatewayError that the function of the same name
 * above throws, and with `model_unavailable` where the thread is gone.
 */
export interface RemoteBody {
  /** See `ProtocolAdapter.prepare`. The answer is read with the exchange that was prepared last. */
  prepare(target: Target, granted_cap: number | undefined): Promise<RemoteExchange>;
  /** The request that counts tokens at a vendor of messages. */
  prepareCount(target: Target): Promise<RemoteCount>;
  collectInput(): Promise<CollectedInput>;
  /** Lets the thread forget the body. Never throws; nothing may be asked afterwards. */
  release(): void;
}

/** The bytes of a request that counts tokens. */
export type RemoteCount = Pick<RemoteExchange, "path" | "headers" | "body">;

/** An `Exchange` whose body another thread holds. */
export interface RemoteExchange extends Pick<Exchange, "path" | "headers" | "ignored" | "charged" | "tokens_header"> {
  readonly body: Uint8Array;
  readonly parts?: undefined;
  readonly pieces?: undefined;
  readonly readPieces?: undefined;
  readonly is_light?: undefined;
  readonly content_type?: undefined;
  /** The bytes belong to the thread from then on. */
  readWhole(body: WholeBody, told_tokens?: number): Promise<RemoteWhole>;
  openStream(): RemoteStream;
  readError(status: number, body: string): Promise<VendorFailure>;
}

/** A `WholeAnswer` that another thread has read. */
export interface RemoteWhole extends Omit<WholeAnswer, "body" | "bodyWith"> {
  bodyWith(billed: Usage | null, cost?: string): Promise<SentBody>;
}

/** A `StreamAnswer` that another thread reads. Its report counts the bytes up to the last resolved promise. */
export interface RemoteStream extends Omit<StreamAnswer, "push" | "end" | "finish" | "cut" | "fail"> {
  push(chunk: Uint8Array): Promise<Uint8Array>;
  end(): Promise<Uint8Array>;
  finish(billed?: Usage, cost?: string): Promise<Uint8Array>;
  cut(usage: Usage, cost?: string): Promise<Uint8Array>;
  fail(error: GatewayError, request_id: string): Promise<Uint8Array>;
}
