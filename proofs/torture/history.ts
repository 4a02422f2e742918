import type { Entry } from "../../contract/credits.ts";
import type { Receipt as ListedReceipt } from "../../contract/requests.ts";

/** What is written down of a round by three sides that do not know each other: the clients, the vendors and the books. */

/** Token counts as a vendor counts them, in disjoint classes; `reasoning` is part of `output`. */
export interface TrueUsage {
  readonly input: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly output: number;
  readonly reasoning: number;
}

/**
 * How a call ended for its client. `whole`: a 2xx answer with its end. `broken`: an answer that broke off, or that told an error in a
 * stream. `left`: the client closed the connection. `refused`: an answer with an error's status. `cut off`: no answer, as
 * the connection broke. `unanswered`: no answer, and no end, for longer than any client waits.
 */
export type Ending = "whole" | "broken" | "left" | "refused" | "cut off" | "unanswered";

/** A call as its client saw it. Times are milliseconds on the runner's monotonic clock. */
export interface ClientCall {
  /** The client's own id of the call: its `x-request-id`. */
  readonly id: string;
  /** The id in the prompt: this call's own, or that of the call which it repeats word for word. */
  readonly prompt_id: string;
  /** The position of the node that was called. */
  readonly node: number;
  readonly account: string;
  readonly key: string;
  readonly endpoint: string;
  readonly model: string;
  readonly stream: boolean;
  /** Null without an `Idempotency-Key`. */
  readonly idempotency_key: string | null;
  readonly began_ms: number;
  readonly ended_ms: number;
  readonly ending: Ending;
  /** Null where no head of an answer came. */
  readonly status: number | null;
  /** The gateway's id of the request; null where no head of an answer came. */
  readonly request_id: string | null;
  readonly replayed: boolean;
  /** The generated text that the client received. */
  readonly text: string;
  /** The output tokens that the answer told; null where it told none. */
  readonly output_tokens: number | null;
  /** The error's code, where the answer told one. */
  readonly error: string | null;
}

/** How a vendor reports usage: truly, not at all, or falsely. */
export type Reporting = "true" | "none" | "false";

/** A request as the vendor saw it, retries and fallbacks each for themselves. */
export interface VendorCall {
  /** The client's id of the call, from the prompt. */
  readonly call_id: string;
  readonly upstream_model: string;
  /** 0 where no answer began. */
  readonly status: number;
  /** How much of the answer was sent. An error in place of an answer is `none`. */
  readonly delivered: "none" | "part" | "whole";
  /** What the whole answer costs by the vendor's own count; null where the vendor counted nothing. */
  readonly usage: TrueUsage | null;
  readonly reporting: Reporting;
}

export type Receipt = Pick<
  ListedReceipt,
  | "id"
  | "client_request_id"
  | "key_id"
  | "model"
  | "status"
  | "error"
  | "usage"
  | "estimated"
  | "hold_micro"
  | "charge_micro"
  | "operator_loss_micro"
  | "created_at"
>;

export type BookEntry = Pick<Entry, "id" | "kind" | "amount_micro" | "request">;

/** An account's books when everything is at rest. */
export interface AccountBook {
  readonly id: string;
  readonly credited_micro: number;
  readonly balance_micro: number;
  readonly uncollected_micro: number;
  readonly receipts: readonly Receipt[];
  readonly entries: readonly BookEntry[];
  /** Key id → its budget for a month in micro units; null without a budget. */
  readonly budgets: ReadonlyMap<string, number | null>;
}

/** The end of a node's process that nobody asked it for, and the time until the node runs again. */
export interface Death {
  readonly node: number;
  readonly from_ms: number;
  readonly until_ms: number;
}

export interface RoundHistory {
  readonly calls: readonly ClientCall[];
  readonly vendor: readonly VendorCall[];
  readonly accounts: readonly AccountBook[];
  readonly deaths: readonly Death[];
  /**
   * Whether the gateway refused to start on a database that was damaged, because acknowledged charges are gone, and was told to go
   * on without them: what clients got before may be missing then.
   */
  readonly told_loss: boolean;
  /** Everything that the gateway's own audit found. */
  readonly audit: readonly string[];
}
