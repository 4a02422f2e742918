import type { DecisionRequest, EncodedBytes } from "../../core/answer/decision.ts";
import type {
  ClientRequest,
  CollectedInput,
  RequestMemory,
  StreamAnswer,
  Target,
  VendorFailure,
  WholeAnswer,
} from "../../core/answer/exchange.ts";
import type { GenerationRequest } from "../../core/answer/generation.ts";
import type { DecisionSurface } from "../../core/catalog/catalog.ts";
import type { BilledEndpoint } from "../../core/endpoints.ts";
import type { ErrorCode, GatewayError } from "../../core/errors.ts";
import type { Usage } from "../../core/money/usage.ts";
import type { RequestAddress } from "../../protocols/gemini/addressed-body.ts";
import type { WorkerReadResponse } from "../memory/kept-answer.ts";
import type { ItemQuery, StoredConversation } from "../memory/list-input-items.ts";
import type { FoundTurn, RecallSource } from "../memory/recall-source.ts";

/** The messages between the serving thread and a body worker. All of them can be cloned. */

/** Whose body it is: every endpoint whose bodies may be large. */
export type BodyRoute = BilledEndpoint | CountRoute;
/** The endpoints that count tokens, whose requests are not kept for repeats. */
export type CountRoute = "messages.count_tokens" | "responses.input_tokens" | "countTokens";

export interface ReadOrder {
  readonly route: BodyRoute;
  /** The bytes as they came, unpacked; a text where it was read before. */
  readonly body: Uint8Array | string;
  /** The content type of a form; null where the body is the text itself. */
  readonly form: string | null;
  /** What the request's address says beside its body, in Gemini's style. */
  readonly address?: RequestAddress;
  /** The request's headers that protocols look at. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Whether a hash of the body is needed. */
  readonly is_repeatable: boolean;
  /** Set where the request may refer to stored responses. */
  readonly recall: RecallOrder | null;
  /** What a decision endpoint takes. */
  readonly surface?: DecisionSurface | undefined;
  /** For a request that was read before: how it relates to stored responses. */
  readonly memory: Pick<RequestMemory, "stores" | "previous_response_id"> | null;
  /** How much the body may weigh (`weightOf`); null where it is read whatever it weighs. */
  readonly room_bytes: number | null;
}

/** A body that was not read, since it weighs more than there is room for. */
export interface TooHeavy {
  readonly too_heavy_bytes: number;
}

export interface RecallOrder {
  readonly account_id: string;
  readonly most_bytes: number;
}

/** The facts about a request that the serving thread gets: see `ClientRequest.remote`. */
export interface ReadFacts {
  /** What the body takes of memory, about, with what it recalls of stored responses. */
  readonly weight_bytes: number;
  readonly request: Omit<ClientRequest, "memory" | "members" | "remote">;
  /** A decision, whose input stays where it was read. */
  readonly decision: DecisionRequest | null;
  /** The items that the client sent, as JSON, are bytes: they are looked at only where they are stored. */
  readonly memory:
    | (Pick<RequestMemory, "stores" | "previous_response_id" | "used_keys"> & { readonly sent: Uint8Array | null })
    | null;
}

export interface ExchangeFacts {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly ignored: readonly string[];
  readonly charged: ClientRequest["charged"];
  readonly tokens_header: string | undefined;
}

export type WholeFacts = Omit<WholeAnswer, "body" | "bodyWith">;

/** What the usage of an answer shows: see `WholeAnswer.bodyWith`. */
export interface UsageToShow<Billed = Usage> {
  readonly billed: Billed;
  readonly cost: string | undefined;
}

/** A piece of a stream for its client, with the report so far. */
export interface StreamPiece {
  readonly bytes: Uint8Array;
  readonly report: StreamReport;
}

export interface StreamReport
  extends Pick<
    StreamAnswer,
    "usage" | "rejected_usage" | "output_bytes" | "output_media" | "has_content" | "failure" | "complete" | "terminated"
  > {
  readonly ended_early: boolean;
  /** Absent while little was added to the sample that was sent last. */
  readonly output_sample?: string;
}

/** Everything that a worker can be asked about a body: the question, and its answer. */
export interface BodyCalls {
  read: { readonly asks: ReadOrder; readonly gives: ReadFacts | TooHeavy };
  prepare: {
    readonly asks: { readonly target: Target; readonly granted_cap: number | undefined };
    readonly gives: ExchangeFacts;
  };
  prepareCount: {
    readonly asks: { readonly target: Target };
    readonly gives: Omit<ExchangeFacts, "ignored" | "charged" | "tokens_header">;
  };
  collectInput: { readonly asks: null; readonly gives: CollectedInput };
  readWhole: {
    readonly asks: { readonly body: Uint8Array | string; readonly told_tokens: number | undefined };
    readonly gives: WholeFacts;
  };
  bodyWith: { readonly asks: UsageToShow<Usage | null>; readonly gives: Uint8Array };
  openStream: { readonly asks: null; readonly gives: null };
  push: { readonly asks: Uint8Array; readonly gives: StreamPiece };
  end: { readonly asks: null; readonly gives: StreamPiece };
  finish: { readonly asks: UsageToShow<Usage | undefined>; readonly gives: StreamPiece };
  cut: { readonly asks: UsageToShow; readonly gives: StreamPiece };
  fail: { readonly asks: { readonly error: PostedError; readonly request_id: string }; readonly gives: StreamPiece };
  readError: { readonly asks: { readonly status: number; readonly body: string }; readonly gives: VendorFailure };
  encodeDecision: { readonly asks: { readonly target: Target }; readonly gives: EncodedBytes };
  encodeCall: {
    readonly asks: { readonly target: Target; readonly request: GenerationRequest };
    readonly gives: EncodedBytes;
  };
  /** Lists the input items of a stored response, as `listInputItems` does: the page's JSON, null where there is none. */
  listItems: {
    readonly asks: { readonly stored: StoredConversation; readonly query: ItemQuery };
    readonly gives: Uint8Array | null;
  };
  readKept: {
    readonly asks: { readonly body: Uint8Array; readonly is_stream: boolean };
    readonly gives: WorkerReadResponse | null;
  };
  release: { readonly asks: null; readonly gives: null };
}

export type BodyCall = keyof BodyCalls;

/** To a worker: a question about one body. */
export type WorkerRequest = {
  [Call in BodyCall]: {
    readonly id: number;
    readonly body_id: number;
    readonly call: Call;
    readonly asks: BodyCalls[Call]["asks"];
  };
}[BodyCall];

/** From a worker: the answer to a question. */
export type WorkerReply =
  | { readonly id: number; readonly gives: BodyCalls[BodyCall]["gives"] }
  | { readonly id: number; readonly thrown: PostedError };

/** The memory's method that a worker calls, with what it is called with. */
export type MemoryQuestion = {
  [Name in keyof RecallSource]: { readonly calls: Name; readonly with: Parameters<RecallSource[Name]> };
}[keyof RecallSource];

/** From a worker: what it needs to know of stored responses, for a body that it reads. */
export type MemoryRequest = MemoryQuestion & { readonly memory_id: number };

/** To a worker: what the memory has. */
export type MemoryReply =
  | { readonly memory_id: number; readonly found: FoundMemory }
  | { readonly memory_id: number; readonly thrown: PostedError };

export type FoundMemory = readonly FoundTurn[] | null | ReadonlyMap<string, string>;

/** A thrown value on its way between threads. */
export type PostedError =
  | {
      readonly code: ErrorCode;
      readonly message: string;
      readonly param: string | null;
      readonly retry_after_ms: number | null;
      readonly details: GatewayError["details"];
      readonly headers: GatewayError["headers"];
      readonly cause: string | null;
    }
  | { readonly code: null; readonly message: string };
