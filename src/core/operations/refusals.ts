/**
 * Requests that were refused before a vendor was asked (402, 429, 400 …), summed up by minute (docs/design/reports.md). They have no row in the
 * ledger and no receipt; of each sum the newest request is named. Each account's newest are kept one by one as well, with the sentence that the
 * client got. Nothing else of a request's content is kept.
 */

/** How many refused requests of an account are kept one by one: the newest. */
export const REFUSED_KEPT = 1000;

export interface RefusedRequest {
  readonly request_id: string;
  readonly client_request_id: string | null;
  readonly account_id: string;
  readonly key_id: string;
  readonly endpoint: string;
  readonly code: string;
  /** The HTTP status of the answer. */
  readonly status: number;
  /** The model that the request named; null where it was refused before its body was read, or names none. */
  readonly asked_model: string | null;
  /** The id of the model that this stands for; null where there is none. */
  readonly model: string | null;
  readonly param: string | null;
  /** The sentence of the answer. */
  readonly message: string;
  /** By the clock of the node that refused. */
  readonly at_ms: number;
}

export interface RefusedQuery {
  /** Null for all accounts (administration). */
  readonly account_id: string | null;
  readonly key_id?: string;
  readonly endpoint?: string;
  /** The model that was asked for, by the name that the request had for it or by its id. */
  readonly model?: string;
  readonly from_ms?: number;
  readonly to_ms?: number;
  /** The beginning of an id, ours or the client's. */
  readonly search?: string;
  readonly limit: number;
}

/** The requests of a minute that one key got the same refusal for, at the same endpoint. */
export interface RefusalSum {
  /** Minutes since the epoch, by the clock of the node that refused. */
  readonly minute: number;
  readonly account_id: string;
  /** "" in the sum of the remaining refusals, where the account had more kinds of them in the minute than are counted separately. */
  readonly key_id: string;
  readonly endpoint: string;
  readonly code: string;
  /** The HTTP status of the answer. */
  readonly status: number;
  readonly count: number;
  /** The newest of them: its resolved model ("" where none was), the field of the error, its ids and its time. */
  readonly model: string;
  readonly param: string | null;
  readonly request_id: string;
  readonly client_request_id: string | null;
  readonly last_ms: number;
}

export interface RefusalQuery {
  /** Null for all accounts (administration). */
  readonly account_id: string | null;
  readonly key_id?: string;
  readonly code?: string;
  /** Only minutes from this time on, and (`to_ms`) that begin before that time. */
  readonly from_ms?: number;
  readonly to_ms?: number;
  /** The id of the newest request of a sum, ours or the client's: its beginning. */
  readonly search?: string;
  readonly limit: number;
}

export interface RefusalPage {
  /** Newest first, of whole minutes. */
  readonly sums: readonly RefusalSum[];
  /** `to_ms` of the next page; null on the last. */
  readonly next_to_ms: number | null;
}
