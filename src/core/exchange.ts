import type { Model, Vendor, VendorEndpoint } from "./catalog.ts";
import type { ErrorStyle, GenerationEndpoint, Protocol } from "./endpoints.ts";
import type { ErrorCode, GatewayError } from "./errors.ts";
import type { JsonMembers } from "./json.ts";
import type { ChargedMember } from "./charges.ts";
import type { Price } from "./price.ts";
import type { Usage } from "./usage.ts";

/**
 * The contract between the pipeline and the protocols. The pipeline knows one shape of exchange; whether the bytes are
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
  /** How many answers were asked for (`n`), each of which may use the whole output cap. */
  readonly choices: number;
  /** An upper bound of the input's tokens, from its bytes; no tokenizer involved (docs/rulings.md 25). */
  readonly input_bound_tokens: number;
  /** The body as the client sent it. */
  readonly text: string;
  /** The body, parsed once. Read-only: a protocol that changes fields builds a new text. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Where the body's top-level members stand in `text`, when the protocol has looked: a retry need not look again. */
  readonly members?: JsonMembers;
  /** What in it changes the charge (docs/rulings.md 144); absent or empty for most requests. */
  readonly charged?: readonly ChargedMember[];
  /** Absent where neither the request nor its answer has anything to do with the memory of responses. */
  readonly memory?: RequestMemory;
}

/** What the memory of responses has to do with a request (docs/adr/0017). */
export interface RequestMemory {
  /** Whether the answer is kept. */
  readonly stores: boolean;
  /** The response that the client goes on from: its items are in the body's input by now. */
  readonly previous_response_id: string | null;
  /** Which items of the body's input, by identity, came out of kept answers. */
  readonly recalled: ReadonlyMap<unknown, RecalledItem>;
  /** The items as the client sent them, references unresolved, and their JSON. */
  readonly sent: { readonly items: readonly unknown[]; readonly text: string };
  /** Keys of the responses that the input was built of. */
  readonly used_keys: readonly string[];
}

/** Where an item came from. */
export interface RecalledItem {
  /** The vendor whose answer it was in. */
  readonly vendor: string;
  readonly response_key: string;
}

/** Where a request goes: one candidate of the routing. */
export interface Target {
  readonly model: Model;
  readonly vendor: Vendor;
  readonly endpoint: VendorEndpoint;
  readonly upstream_model: string;
  /** The model's usual price list. Absent where nothing is charged: tests of a vendor, counts of tokens. */
  readonly price?: Price;
}

/** Headers of the client's request that a protocol may pass on (`anthropic-version`, `anthropic-beta`). */
export type ClientHeaders = { get(name: string): string | null };

/** A public generation style: how clients speak to us. */
export interface ClientProtocol {
  readonly protocol: Protocol;
  readonly error_style: ErrorStyle;
  readonly endpoint: GenerationEndpoint;
  /** The general 400 code of the endpoint, for what the tables do not name (docs/rulings.md 19a). */
  readonly general_error: ErrorCode;
  /**
   * Checks a request body against the specification. `text` is the raw body. Throws a GatewayError that says what was
   * found, what is allowed and where. Header rules of the style (the version header) are checked here too.
   */
  readRequest(text: string, headers: ClientHeaders): ClientRequest;
}

/** What is known of an answer when it has ended, or so far. */
export interface AnswerReport {
  /** The vendor's usage, converted to disjoint classes; null when it sent none that can be believed. */
  readonly usage: Usage | null;
  /** Set when the vendor sent a usage that was not believed, for the log. */
  readonly rejected_usage: unknown;
  /** UTF-8 bytes of generated text, reasoning and tool arguments that passed: what an estimate starts from. */
  readonly output_bytes: number;
  /** Generated text so far, only as much as an estimate needs (capped); empty while the vendor sends usage. */
  readonly output_sample: string;
}

/** A failure that a vendor reported inside its answer, before it is mapped. */
export interface VendorFailure {
  /** The HTTP status that the vendor gave or that its error type stands for. */
  readonly status: number;
  readonly message: string;
  readonly retry_after_ms: number | null;
}

/** A body that is there as a whole: bytes, or text where it is known to be the same in UTF-8. */
export type WholeBody = string | Uint8Array;

/** A body to be sent: whole, or as the parts of a text, which then is never joined. None ends within a character. */
export type SentBody = WholeBody | readonly string[];

/** An answer read whole. */
export interface WholeAnswer extends AnswerReport {
  /** The body for the client: the same but for the model's name. Text goes out as UTF-8. */
  readonly body: SentBody;
  /** Set when the 200 carried an error or nothing that is an answer. */
  readonly failure: VendorFailure | null;
  /** The body with the usage that is billed, for answers that owe one which the vendor did not send. */
  bodyWith?(billed: Usage): SentBody;
}

/**
 * An answer on its way as a stream of server-sent events. The pipeline feeds it the vendor's bytes and forwards what it
 * returns. The frames that end the stream are withheld until `finish`, so that they follow the settlement.
 */
export interface StreamAnswer extends AnswerReport {
  /** True once a content-bearing event passed: from then on a failure is charged for what was delivered. */
  readonly has_content: boolean;
  /** Set when the vendor reported a failure inside the stream; bytes pushed after it are ignored. */
  readonly failure: VendorFailure | null;
  /** True once the vendor said that the answer is complete. A stream that ends without it is broken. */
  readonly complete: boolean;
  /** True once the protocol's last frame came: nothing more is worth reading. Implies `complete`. */
  readonly terminated: boolean;
  /** True when the gateway ended the answer while the vendor still writes: its connection is closed, not read on. */
  readonly ended_early?: boolean;
  /**
   * Takes the next bytes, in whatever pieces they came, and returns what the client gets now: whole frames with the
   * model's name swapped. Empty while a frame is incomplete. Nothing is returned for a frame that reports a failure.
   * Throws a GatewayError (`provider_error`) on a line or event beyond the size limits.
   */
  push(chunk: Uint8Array): Uint8Array;
  /** Tells that the vendor closed the stream: a last frame without its blank line is taken now. */
  end(): Uint8Array;
  /**
   * The frames that end the stream well: those withheld, or the protocol's own where the vendor sent none. `billed` is
   * for protocols that owe the client a usage which the vendor did not send.
   */
  finish(billed?: Usage): Uint8Array;
  /** The frames that end the stream with `length` and this usage, when the hold cannot be extended any further. */
  cut(usage: Usage): Uint8Array;
  /** The frames that end the stream with an error after content (docs/rulings.md 9). Never a clean end. */
  fail(error: GatewayError, request_id: string): Uint8Array;
}

/** A request made ready for one target. */
export interface Exchange {
  /** Appended to the endpoint's base URL: `/chat/completions`. */
  readonly path: string;
  /** The body for the vendor. */
  readonly body: string;
  /** The same text in parts, where most of it is the client's: sent one after the other, none has to be copied before. */
  readonly parts?: readonly string[];
  /** Headers of the protocol beside the credential and content type. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parameters that the target cannot honour and that were left out: named in `x-camino-ignored`. */
  readonly ignored: readonly string[];
  /** What it asks the vendor for beside the model, each with a price (docs/rulings.md 144); absent for most requests. */
  readonly charged?: readonly ChargedMember[];
  /** Reads a non-streamed answer. Never throws: what cannot be read is a `failure`. */
  readWhole(body: WholeBody): WholeAnswer;
  openStream(): StreamAnswer;
  /** Reads the body of a vendor's error answer. */
  readError(status: number, body: string): VendorFailure;
}

/** A way from a client's protocol to a vendor's. */
export interface Way {
  /** Throws a GatewayError when the target cannot honour the request (a 400 that names the field). */
  prepare(request: ClientRequest, target: Target, headers: ClientHeaders): Exchange;
}
