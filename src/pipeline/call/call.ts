import type { AnswerSource, ClientSignal } from "../../core/answer/answer-stream.ts";
import type { ClientHeaders, SentBody } from "../../core/answer/exchange.ts";
import type { FormPart } from "../../core/answer/form-part.ts";
import type { BilledEndpoint } from "../../core/endpoints.ts";
import type { ErrorCode } from "../../core/errors.ts";
import type { AdmitRefusal, AdmitResult } from "../../core/ledger/ledger.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import type { CallTrace } from "../../observe/call-trace.ts";
import type { CacheAsked } from "../cache/cache-asked.ts";
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
  /** The parts of a form, where the endpoint takes forms with their files and the body is one. */
  readonly form: FormBody | null;
  readonly headers: ClientHeaders;
  /** The gateway's id, `req_…`. */
  readonly request_id: string;
  /** The client's own request id, when it sent an acceptable one. */
  readonly client_request_id: string | null;
  readonly idempotency_key: string | null;
  /** What the call asks of the cache of answers; null for most. */
  readonly cache: CacheAsked | null;
  /**
   * The tags that the request carries, of its header and of its body's metadata, as the ledger keeps them; null for most. Throws a 400
   * for tags that are not allowed (docs/design/tags-and-projects.md).
   */
  tagsText(metadata: TagMetadata | null): string | null;
  /** Monotonic time of arrival. */
  readonly arrived_ms: number;
  /** How long the body took to arrive after the head; 0 where it came with it. */
  readonly body_wait_ms: number;
  /** How long the hook before the request took; null where there is none (docs/rulings.md 232). */
  hook_ms: number | null;
  /** Puts this text in place of the body that the client sent. */
  replaceBody(text: string): void;
  /** The record of the call's trace; null where none is made. */
  readonly trace: CallTrace | null;
  readonly signal: ClientSignal;
  /**
   * Writes the head of an answer. Called before the answer is charged, because it may throw, and
   * a request that fails is not charged (docs/rulings.md 159).
   */
  write(answer: Answer): WrittenAnswer;
  /** Adds the state of the limits to the head of an answer that was written before its request was admitted. Cannot fail. */
  withRate(answer: WrittenAnswer): WrittenAnswer;
}

/** The parts of a form, and how many bytes they have together. */
export interface FormBody {
  readonly parts: readonly FormPart[];
  readonly bytes: number;
}

/** A call that the ledger has admitted: the caller reads what was found out, and then has the call answered. */
export interface AdmittedCall {
  readonly outcome: "admitted";
  /** The id of the resolved model, which logs, metrics and records name. */
  readonly model: string;
  readonly result: AdmitResult;
  /** Called once, whatever becomes of the call: whoever answers owns the hold. Throws the GatewayError that the client gets. */
  answer(): Promise<WrittenAnswer>;
}

/** A call that was not admitted: no hold is open for it. */
export interface RefusedCall {
  readonly outcome: "refused";
  /** The model that the request names; null where it could not be read. */
  readonly asked_model: string | null;
  /** The id of the resolved model; null where it was refused before. */
  readonly model: string | null;
  /** The ledger's refusal; null where the ledger was not asked: from then on it counts the request (docs/rulings.md 49). */
  readonly result: AdmitRefusal | null;
  readonly thrown: unknown;
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
