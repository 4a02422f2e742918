import type { CostPlace } from "../answer/shown-cost.ts";
import type { BilledEndpoint } from "../endpoints.ts";
import type { ErrorCode } from "../errors.ts";
import type { Micro } from "../money/money.ts";
import type { Price } from "../money/price.ts";
import type { Usage } from "../money/usage.ts";
import type { AppliedRule } from "../people/limit-rules.ts";
import type { BudgetWindow } from "../people/principal.ts";

/**
 * The types of the ledger: operations that the pipeline asks for, and their results. Operations are plain data, so that
 * many of them can travel to a database thread and be committed in one transaction (group commit).
 */

/** A request's status in the ledger: `held`, then exactly one of the others. */
export type RequestStatus = "held" | "settled" | "voided" | "expired";

/** How a request stands, in the words that people read. Refused requests have no record. */
export type RequestOutcome = "running" | "answered" | "failed" | "left";

/**
 * Stands in place of an error's code where the client left before its answer was complete. Receipts show it as the outcome, not as an error.
 */
export const CLIENT_LEFT = "client_left";

/**
 * Why a candidate was asked, where there was a choice (docs/rulings.md 181, 182): drawn by `weight`, picked for its `latency` or `cost`, the
 * one that the `conversation` has, the one where it was `kept`, the `next` after one that failed or was passed over, or a `fallback`.
 */
export type RouteReason = "weight" | "latency" | "cost" | "conversation" | "kept" | "next" | "fallback";

/** One try at a vendor, for the receipt; or all calls that our decision engine made by one route. */
export interface Attempt {
  readonly vendor: string;
  readonly upstream_model: string;
  /** Which of the vendor's several credentials was used; absent where it has one. */
  readonly credential?: string;
  /** Why this candidate was asked; absent where there was no choice. */
  readonly why?: RouteReason;
  /** The candidates that were passed over before this one, each with the reason; absent where none was. */
  readonly passed_over?: readonly string[];
  /** The HTTP status of the vendor's answer; null when there was none. */
  readonly status: number | null;
  readonly error: ErrorCode | null;
  readonly first_byte_ms: number | null;
  readonly duration_ms: number;
  /** How many calls our decision engine made, and how many of them failed. Absent on a single try. */
  readonly calls?: number;
  readonly failures?: number;
  /** Since the request's arrival. Recorded of attempts that failed, and of those that followed one. */
  readonly started_ms?: number;
  /** Why the attempt failed, in the vendor's words or in the gateway's: without secrets, and short. */
  readonly said?: string;
  /** The sentence is about the operator's account or network: for administrators only. */
  readonly said_to_operator?: true;
}

/** An answer kept for `Idempotency-Key` replay: the exact bytes that the client received. */
export interface StoredAnswer {
  readonly status: number;
  readonly content_type: string;
  /** Other headers that belong to the answer, such as `x-camino-ignored`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Where the body shows the cost: the books write the charge there. Absent where none is shown. */
  readonly cost_place?: CostPlace;
}

/** The facts about a request that its admission records and its receipt shows. Its packed and stored forms: store/record. */
interface RequestFacts {
  readonly client_request_id: string | null;
  readonly account_id: string;
  readonly key_id: string;
  readonly endpoint: BilledEndpoint;
  readonly stream: boolean;
  readonly requested_model: string;
  /** The resolved model; on a receipt the model that answered, where one did. */
  readonly model: string;
  readonly price: Price;
}

/** Asks to admit a request: one transaction makes all checks and takes the hold (docs/rulings.md 21). */
export interface AdmitOp extends RequestFacts {
  readonly op: "admit";
  readonly request_id: string;
  /** The version of the key record that the caller read. */
  readonly key_version: number;
  readonly hold_micro: Micro;
  /** How the hold may shrink where the wallet or the budget cannot pay it whole; absent or null: the request is then refused. */
  readonly allowance?: OutputAllowance | null;
  /** Upper bound of the input tokens, counted against the tokens-per-minute limit until settlement corrects it. */
  readonly bound_tokens: number;
  /** The key's limits with the configuration's defaults filled in; null is unlimited. */
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly concurrent: number | null;
  readonly budget: { readonly amount_micro: Micro; readonly window: BudgetWindow } | null;
  readonly node_id: string;
  /** How long the hold may stay open, on the database's clock. */
  readonly ttl_ms: number;
  /** `fingerprint` is a hash of endpoint and body: a reused key with another fingerprint is refused. */
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null;
  /** The rules of limits that judge the request beside those of key, project and account (docs/rulings.md 177); absent or null: none. */
  readonly rules?: readonly AppliedRule[] | null;
  /** The rules of the values of its tags (176), which are judged after those; absent or null: none. */
  readonly tag_rules?: readonly AppliedRule[] | null;
  /** The request's own tags as one JSON object (docs/design/tags-and-projects.md); absent or null for the many that have none. */
  readonly tags?: string | null;
}

/**
 * How much less output than the model's maximum a request may be admitted with, where what is spendable does not pay for
 * that (docs/rulings.md 142). All amounts and tokens are those of all answers together.
 */
export interface OutputAllowance {
  /** The highest cost of the request without any output. */
  readonly base_micro: Micro;
  /** The dearest price of an output token. */
  readonly output_micro_per_mtok: number;
  /** The least output tokens to grant: the request is refused where balance and budget do not pay for them. */
  readonly least_tokens: number;
  readonly most_tokens: number;
}

/** The granted part of an allowance: the hold, and the output tokens that it pays for. */
export interface OutputGrant {
  readonly hold_micro: Micro;
  readonly output_tokens: number;
}

/** The state of one limit after a decision, for the rate-limit headers. */
export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until the limit is whole again. */
  readonly reset_ms: number;
}

export interface RateState {
  readonly requests: LimitState | null;
  readonly tokens: LimitState | null;
}

/** The owner of limits that several keys share. */
export type SharedBy = "project" | "account";

/** The rule whose limit has no room. */
export interface RefusedRule {
  readonly rule: string;
  readonly value: string;
}

export type AdmitResult =
  /** `granted` is present where less than `hold_micro` was held. */
  | { readonly outcome: "admitted"; readonly rate: RateState; readonly granted?: OutputGrant }
  | { readonly outcome: "replay"; readonly answer: StoredAnswer; readonly request_id: string }
  | AdmitRefusal;

export type AdmitRefusal =
  /** The key or its account changed since the caller read it: the caller reads it again and asks again. */
  | { readonly outcome: "stale_key" }
  | { readonly outcome: "insufficient_balance"; readonly balance_micro: Micro; readonly rate: RateState }
  | {
      readonly outcome: "budget_exceeded";
      readonly window: BudgetWindow;
      readonly remaining_micro: Micro;
      readonly rate: RateState;
      /** The owner of the budget; absent: the key. */
      readonly of?: SharedBy;
      /** The rule whose budget it is, in place of an owner, with what it allows. */
      readonly rule?: RefusedRule & { readonly amount_micro: Micro };
    }
  | {
      readonly outcome: "rate_limited";
      readonly limit: "requests" | "tokens" | "concurrency";
      readonly retry_after_ms: number;
      readonly rate: RateState;
      /** The owner of the limit; absent: the key. */
      readonly of?: SharedBy;
      /** The rule whose limit it is, in place of an owner, with what it allows. */
      readonly rule?: RefusedRule & { readonly allowed: number };
    }
  | { readonly outcome: "idempotency_in_progress" }
  /** The idempotency key was used with another body, or for an answer that was too large to keep. */
  | { readonly outcome: "idempotency_key_reused"; readonly reason: "other_body" | "answer_not_kept" };

/** Asks for a larger hold. As much is added as the balance and the key's budget have of it. */
export interface ExtendOp {
  readonly op: "extend";
  readonly request_id: string;
  /** The request's account, where the caller knows it. */
  readonly account_id?: string;
  readonly add_micro: Micro;
}

export type ExtendResult =
  /** `added_micro` is above 0. It is less than asked for where balance or budget had no more. */
  { readonly outcome: "extended"; readonly added_micro: Micro } | { readonly outcome: "refused" };

/** Records a running request's progress, so that it can be settled after a crash. Also moves the hold's deadline. */
export interface ProgressOp {
  readonly op: "progress";
  readonly request_id: string;
  /** The request's account, where the caller knows it. */
  readonly account_id?: string;
  readonly model: string;
  readonly price: Price;
  /** The usage delivered so far, estimated where the vendor has not reported it. */
  readonly usage: Usage;
  readonly charge_micro: Micro;
  readonly ttl_ms: number;
}

/** The facts that a receipt records beside money, known when the request ends. */
export interface Outcome {
  readonly attempts: readonly Attempt[];
  readonly error: ErrorCode | typeof CLIENT_LEFT | null;
  /** From the request's arrival to its admission. */
  readonly queue_ms: number;
  /** From the request's arrival to the first byte of the answer; null when none came. */
  readonly first_byte_ms: number | null;
  readonly duration_ms: number;
  /** The cost of our decision engine's own calls at the chat model's price; absent where the engine made none. */
  readonly upstream_cost_micro?: Micro;
  /** Of the answer's own id as its client saw it; absent where it has none. */
  readonly answer_digest?: number;
  /** How long the hook before the request took; absent where none was asked. */
  readonly hook_ms?: number;
}

/** Ends a hold with a charge. */
export interface SettleOp {
  readonly op: "settle";
  readonly request_id: string;
  /** The request's account, where the caller knows it. */
  readonly account_id?: string;
  /** The model that answered and the price frozen for it at admission. */
  readonly model: string;
  readonly price: Price;
  readonly usage: Usage;
  /** Whether the usage is our estimate because the vendor sent none that can be believed. */
  readonly estimated: boolean;
  /** The cost of the usage; the ledger lowers it to what is held and books the rest as a loss. */
  readonly charge_micro: Micro;
  readonly outcome: Outcome;
  /** Whether the client received an answer: counted in `success_count`. */
  readonly success: boolean;
  /** The finished answer, when the request had an idempotency key; null when the answer is not kept. */
  readonly answer: StoredAnswer | null;
  /** Whether the answer is delivered only after this settlement is booked: when booking fails, the answer is withheld and free. */
  readonly free_if_withheld?: boolean;
}

export type SettleResult =
  | {
      readonly outcome: "settled";
      readonly charge_micro: Micro;
      readonly operator_loss_micro: Micro;
      /** A recovery had ended the hold: the difference was booked as a correction (docs/rulings.md 146). */
      readonly late?: true;
    }
  /** The hold had already ended (settled, voided or expired): nothing was changed. */
  | { readonly outcome: "already_ended"; readonly status: RequestStatus }
  | { readonly outcome: "unknown_request" };

/** Ends a hold without a charge. */
export interface VoidOp {
  readonly op: "void";
  readonly request_id: string;
  /** The request's account, where the caller knows it. */
  readonly account_id?: string;
  readonly outcome: Outcome;
  /** The operator's loss: paid and not charged, where it is known. */
  readonly operator_loss_micro: Micro;
}

export type VoidResult =
  /** `late`: a recovery had charged for the request, and the charge was given back (docs/rulings.md 146). */
  | { readonly outcome: "voided"; readonly late?: true }
  | { readonly outcome: "already_ended"; readonly status: RequestStatus }
  | { readonly outcome: "unknown_request" };

/** Counts a request that was refused before admission (docs/rulings.md 49), and takes it from its key's rate (141). */
export interface CountRefusalOp {
  readonly op: "count-refusal";
  readonly account_id: string;
  readonly key_id: string;
  /** The resolved model; null when the request was refused before it was resolved. */
  readonly model: string | null;
  /** The key's requests per minute, of which the refusal takes one; null where it takes none. */
  readonly rpm: number | null;
}

/** Asks to admit a request whose charge is known before: one transaction admits and charges it, or does neither. */
export interface ChargeOp {
  readonly op: "charge";
  /** Its hold is the charge, without an allowance. */
  readonly admit: AdmitOp;
  readonly settle: SettleOp;
}

export type ChargeResult =
  | Exclude<AdmitResult, { readonly outcome: "admitted" }>
  /** `rate` has no limits where the books told of the charge only when they were asked again. */
  | { readonly outcome: "admitted"; readonly rate: RateState; readonly settlement: SettleResult };

export type LedgerOp = AdmitOp | ExtendOp | ProgressOp | SettleOp | VoidOp | CountRefusalOp;
export type RecordedResult = { readonly outcome: "recorded" };

export type LedgerResult<Op extends LedgerOp = LedgerOp> = Op extends AdmitOp
  ? AdmitResult
  : Op extends ExtendOp
    ? ExtendResult
    : Op extends SettleOp
      ? SettleResult
      : Op extends VoidOp
        ? VoidResult
        : RecordedResult;

/** A request's receipt as stored; docs/rulings.md 47 says how the API shows it. */
export interface RequestRecord extends RequestFacts {
  readonly id: string;
  /** The project that the key belonged to when the request was admitted; null where it belonged to none. */
  readonly project_id: string | null;
  /** The tags that the request carried itself; absent: none. */
  readonly tags?: Readonly<Record<string, string>>;
  /** The tags under which the request is counted, where the day had no room for all of them (docs/design/tags-and-projects.md). */
  readonly tags_counted?: Readonly<Record<string, string>>;
  readonly status: RequestStatus;
  readonly outcome: RequestOutcome;
  readonly error: ErrorCode | null;
  readonly usage: Usage | null;
  readonly estimated: boolean;
  /** Whether the end came after a recovery had ended the hold, so that a correction booked the difference. */
  readonly late: boolean;
  readonly hold_micro: Micro;
  /** The part of the hold that was added while the request ran. */
  readonly extended_micro: Micro;
  readonly charge_micro: Micro;
  readonly operator_loss_micro: Micro;
  /** The cost of our decision engine's own calls; null for all other requests. */
  readonly upstream_cost_micro: Micro | null;
  readonly attempts: readonly Attempt[];
  readonly created_ms: number;
  readonly ended_ms: number | null;
  readonly queue_ms: number | null;
  /** How long the hook before the request took; null where none was asked. */
  readonly hook_ms: number | null;
  readonly first_byte_ms: number | null;
  readonly duration_ms: number | null;
}
