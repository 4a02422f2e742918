import type { AnswerSource, ClientSignal } from "../../core/answer/answer-stream.ts";
import type { ClientHeaders, SentBody } from "../../core/answer/exchange.ts";
import type { BilledEndpoint } from "../../core/endpoints.ts";
import type { ErrorCode } from "../../core/errors.ts";
import type { AdmitResult } from "../../core/ledger/ledger.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import type { LargeBody } from "../large-bodies/large-bodies.ts";
import type { TagMetadata } from "../request/tag-metadata.ts";

/** A client's call of a billed endpoint, after its credential was read and before its body is read. */
export interface BilledCall {
  readonly endpoint: BilledEndpoint;
  /** The endpoint's code for bad requests that its error table does not name (docs/rulings.md 19a). */
  readonly general_error: ErrorCode;
  /** The key record as last read; admission checks that it is still current. */
  readonly key: KeyRecord;
  /** Reads the key again from the store. Throws the 401 for a key that is no longer accepted. */
  reloadKey(): Promise<KeyRecord>;
  /** The body; empty where it is large. */
  readonly text: string;
  /** The body where it is large: nobody has read it (docs/adr/0027-body-workers.md). */
  readonly large_body: LargeBody | null;
  readonly headers: ClientHeaders;
  /** The gateway's id, `req_…`. */
  readonly request_id: string;
  /** The client's own request id, when it sent an acceptable one. */
  readonly client_request_id: string | null;
  readonly idempotency_key: string | null;
  /**
   * The tags that the request carries, of its header and of its body's metadata, as the ledger keeps them; null for most. Throws a 400
   * for tags that are not allowed (docs/design/tags-and-projects.md).
   */
  tagsText(metadata: TagMetadata | null): string | null;
  /** Monotonic time of arrival. */
  readonly arrived_ms: number;
  readonly signal: ClientSignal;
  readonly metadata: CallMetadata;
  /**
   * Writes the head of an answer. Called before the answer is charged, because it may throw, and
   * a request that fails is not charged (docs/rulings.md 159).
   */
  write(answer: Answer): WrittenAnswer;
  /** Called when the request's hold has ended: its key may have another request in flight. */
  leaveKey(): void;
  /** Called once, when the last byte of a streamed answer was taken. */
  sent(): void;
}

/** A call that the ledger has admitted: the caller reads the admission's result, and then has the call answered. */
export interface AdmittedCall {
  readonly result: AdmitResult;
  /** Called once, whatever becomes of the call: whoever answers owns the hold. Throws the GatewayError that the client gets. */
  answer(): Promise<WrittenAnswer>;
}

export interface CallMetadata {
  /** The resolved model id, which logs, metrics and the record of a refusal name. */
  model: string | null;
}

/** The content type of an answer in JSON. */
export const JSON_TYPE = "application/json";

/** An answer as the pipeline makes it. */
export interface Answer {
  readonly status: number;
  readonly content_type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: SentBody | AnswerSource;
}

/** An answer that the pipeline returns to the http edge: only the transport's own headers are not written yet. */
export interface WrittenAnswer {
  readonly status: number;
  /** Header lines. */
  readonly headers: string;
  readonly body: SentBody | AnswerSource;
}
