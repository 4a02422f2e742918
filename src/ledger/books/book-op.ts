import type { BilledEndpoint } from "../../core/endpoints.ts";
import type { Outcome, OutputAllowance } from "../../core/ledger.ts";
import type { Micro } from "../../core/money.ts";
import type { BudgetWindow } from "../../core/principal.ts";
import type { CostPlace } from "../../core/shown-cost.ts";
import type { Usage } from "../../core/usage.ts";

/**
 * Ledger operations as the books take them. A part that is only stored and never looked into (a price, attempts, an
 * answer's headers) is a text already. Operations are flat, because they travel to a database thread and a nested object
 * costs three times as much to clone.
 */
export type BookOp = BookAdmit | BookExtend | BookProgress | BookSettle | BookVoid | BookRefusal | BookRecovery;

export interface BookAdmit {
  readonly op: "admit";
  readonly request_id: string;
  readonly client_request_id: string | null;
  readonly account_id: string;
  readonly key_id: string;
  readonly key_version: number;
  readonly endpoint: BilledEndpoint;
  readonly stream: boolean;
  readonly requested_model: string;
  readonly model: string;
  readonly price: string;
  readonly hold_micro: Micro;
  /** Nested, as few operations have it. */
  readonly allowance?: OutputAllowance | null;
  readonly bound_tokens: number;
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly concurrent: number | null;
  readonly budget_micro: Micro | null;
  readonly budget_window: BudgetWindow | null;
  readonly node_id: string;
  readonly ttl_ms: number;
  readonly idempotency_key: string | null;
  readonly fingerprint: string | null;
  /** The request's tags as JSON. */
  readonly tags: string | null;
}

export interface BookExtend {
  readonly op: "extend";
  readonly request_id: string;
  readonly add_micro: Micro;
}

export interface BookProgress {
  readonly op: "progress";
  readonly request_id: string;
  readonly ttl_ms: number;
  /** The text that a recovery settles from (progress.ts). */
  readonly progress: string;
}

export interface BookOutcome {
  readonly attempts: string;
  readonly error: Outcome["error"];
  readonly queue_ms: number;
  readonly first_byte_ms: number | null;
  readonly duration_ms: number;
  /** Null for every request that our decision engine did not answer. */
  readonly upstream_cost_micro: Micro | null;
}

/** A usage as a row has it: the counts that few requests have are one text (usage-text.ts), which is null on all others. */
export interface BookUsage extends Omit<Usage, "extra"> {
  readonly usage_extra: string | null;
}

export interface BookSettle extends BookOutcome, BookUsage {
  readonly op: "settle";
  readonly request_id: string;
  readonly model: string;
  readonly price: string;
  readonly estimated: boolean;
  readonly charge_micro: Micro;
  readonly success: boolean;
  readonly answer: BookAnswer | null;
}

export interface BookAnswer {
  readonly status: number;
  readonly content_type: string;
  readonly headers: string;
  readonly body: Uint8Array;
  readonly cost_place?: CostPlace;
}

export interface BookVoid extends BookOutcome {
  readonly op: "void";
  readonly request_id: string;
  readonly operator_loss_micro: Micro;
}

export interface BookRefusal {
  readonly op: "count-refusal";
  readonly account_id: string;
  readonly key_id: string;
  readonly model: string;
  readonly rpm: number | null;
}

/** Ends a hold that its process left behind (docs/rulings.md 43). Only the store asks for a recovery. */
export interface BookRecovery {
  readonly op: "recover";
  readonly request_id: string;
}
