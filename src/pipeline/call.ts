import type { AnswerSource, ClientSignal } from "../core/answer-stream.ts";
import type { BilledEndpoint } from "../core/endpoints.ts";
import type { ErrorCode } from "../core/errors.ts";
import type { ClientHeaders, SentBody } from "../core/exchange.ts";
import type { RateState } from "../core/ledger.ts";
import type { KeyRecord } from "../core/principal.ts";

/** A client's call of a billed endpoint, after its credential was read and before its body is. */
export interface BilledCall {
  readonly endpoint: BilledEndpoint;
  /** The endpoint's code for a bad request that its table does not name (docs/rulings.md 19a). */
  readonly general_error: ErrorCode;
  /** The key record as last seen; admission checks that it is still current. */
  readonly key: KeyRecord;
  /** Reads the key again from the store. Throws the 401 that a key which is no longer accepted gets. */
  reloadKey(): Promise<KeyRecord>;
  readonly text: string;
  readonly headers: ClientHeaders;
  /** Ours, `req_…`. */
  readonly request_id: string;
  /** The client's own request id, when it sent an acceptable one. */
  readonly client_request_id: string | null;
  readonly idempotency_key: string | null;
  /** Monotonic. */
  readonly arrived_ms: number;
  readonly signal: ClientSignal;
  /** Filled in as the request goes, for the headers of whatever answer it ends in. */
  readonly notes: CallNotes;
  /** Told once, when the last byte of a streamed answer was taken. */
  sent(): void;
}

export interface CallNotes {
  rate: RateState | null;
  /** Parameters that the target cannot honour: `x-camino-ignored`. */
  ignored: readonly string[];
  /** True once the ledger has decided over the request: from then on it does the counting (docs/rulings.md 49). */
  decided: boolean;
  /** From the request's arrival to the first byte of the vendor's answer; null while there is none. */
  first_byte_ms: number | null;
  /** The resolved model id, for logs and metrics. */
  model: string | null;
}

/** What the pipeline gives back for the http edge to send. */
export interface Answer {
  readonly status: number;
  readonly content_type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: SentBody | AnswerSource;
}
