import type { Usage } from "../money/usage.ts";

/**
 * Usage events (docs/rulings.md 234): one for each charge of an account's ledger, and one for each correction by an end that came late, in the
 * ledger's order. Nothing is written for them on the way of a call: they are read from the ledger, and a place in it is kept for each target.
 */

export const USAGE_TYPE = "usage.settled";

export interface UsageEvent {
  /** The account's id. */
  readonly account: string;
  /** The how many-eth event of the account it is: grows by one, and is the same at every target and in every try. */
  readonly cursor: number;
  /** `correction`: what the request's own end, which came late, adds to what a recovery had charged (ruling 146). */
  readonly kind: "charge" | "correction";
  readonly request_id: string;
  /** Null with all that follows to `usage`, where the request is not kept any more. */
  readonly key: string | null;
  readonly project: string | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly endpoint: string | null;
  readonly model: string | null;
  /** In a correction: the whole usage, which takes the place of the earlier one. */
  readonly usage: Usage | null;
  /** In a correction: the difference, which may be below zero. */
  readonly charge_micro: bigint;
  readonly settled_ms: number;
}

/** A part of an account's ledger: the entries after one and up to another, and the cursor before them. */
export interface UsagePart {
  readonly account_id: string;
  readonly after_seq: number;
  readonly to_seq: number;
  readonly after_cursor: number;
}

/** What a delivery of usage events has as its body: which they are. They are read when they are sent. */
export interface UsagePortion {
  readonly type: typeof USAGE_TYPE;
  readonly events: number;
  readonly parts: readonly UsagePart[];
}

export interface UsageCut {
  readonly target_id: string;
  readonly channel: "webhook" | "s3" | "file";
  /** Those to look at, and whether there are others. */
  readonly accounts: readonly string[];
  readonly has_others: boolean;
  /** A delivery for each account, of which one waits at a time; else one for all. */
  readonly is_by_account: boolean;
  /** In one delivery. */
  readonly most_events: number;
  /** How long after a look that put something down the next one may, where everything had room. */
  readonly every_ms: number;
}

export interface UsageEventStore {
  /** Makes a target known: it gets what is charged from now on. Nothing happens where it is known. */
  beginUsage(target_id: string): Promise<void>;
  /** Accounts with entries that were not put down for a target, and for which nothing waits, by id after one. */
  findUnsentUsage(target_id: string, after_id: string, limit: number): Promise<string[]>;
  /** Puts down what is next for a target, and moves its places in the ledger, at once. Returns how many deliveries were put down. */
  cutUsage(cut: UsageCut): Promise<number>;
  readUsage(parts: readonly UsagePart[]): Promise<UsageEvent[]>;
}
