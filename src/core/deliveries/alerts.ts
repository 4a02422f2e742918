import type { KeyStatus } from "../people/principal.ts";
import type { Channel } from "./deliveries.ts";

/** An alert as the database keeps it: what is true for a scope, and what was told of it (docs/rulings.md 185). */
export interface AlertRow {
  readonly type: string;
  /** What it is about, within its type: an account, a key, a vendor. */
  readonly subject: string;
  readonly account_id: string | null;
  /** A higher one is told again: of a budget 50, 80 and 100. */
  readonly level: number;
  /** The event's data, as JSON. */
  readonly data: string;
  readonly began_ms: number;
  /** When it was last told; null where it waits to be told (again). */
  readonly told_ms: number | null;
  readonly times_told: number;
  /** When it ended, and that waits to be told; null while it is true. */
  readonly ended_ms: number | null;
}

/** An alert that was begun, of whichever scope. */
export type OpenAlert = Pick<AlertRow, "type" | "subject">;

/** What was found of an alert now. */
export interface AlertFinding extends Pick<AlertRow, "type" | "subject" | "account_id" | "level" | "data"> {
  /**
   * Whether it is true. `margin` keeps an alert that was there, and makes none: so that what goes up and down by a little is not told again and
   * again. `no` is found of alerts that were there, and its data are what their end tells.
   */
  readonly holds: "yes" | "margin" | "no";
}

/** A target that hears a scope. */
export interface AlertListener {
  readonly target_id: string;
  readonly channel: Channel;
  /** Null: all. */
  readonly types: readonly string[] | null;
}

export interface AlertLook {
  /** An account's id; null: the gateway, whose targets hear everything. */
  readonly account_id: string | null;
  readonly findings: readonly AlertFinding[];
  /** Whether the findings are all that is true: what is missing has ended. */
  readonly is_whole: boolean;
  readonly listeners: readonly AlertListener[];
}

export interface AlertFacts {
  readonly now_ms: number;
  readonly balances: readonly BalanceFact[];
  readonly budgets: readonly BudgetFact[];
  readonly keys: readonly KeyFact[];
  /** Of the gateway; null where it is not asked for. */
  readonly gateway: GatewayFacts | null;
}

export interface BalanceFact {
  readonly account_id: string;
  readonly name: string;
  readonly balance_micro: bigint;
  readonly held_micro: bigint;
  readonly today_micro: bigint;
  readonly yesterday_micro: bigint;
  /** Of the seven days before today, and on how many of them something was spent. */
  readonly week_micro: bigint;
  readonly week_days: number;
}

export interface BudgetFact {
  readonly account_id: string;
  readonly account_name: string;
  readonly holder: "key" | "project" | "account";
  readonly holder_id: string;
  readonly holder_name: string;
  readonly window: string;
  readonly budget_micro: bigint;
  readonly spent_micro: bigint;
  /** When it renews, an instant in the account's time zone, whose name it is; null where it never does. */
  readonly renews: { readonly at: string; readonly time_zone: string } | null;
}

export interface KeyFact {
  readonly account_id: string;
  readonly account_name: string;
  readonly key_id: string;
  readonly name: string;
  /** Null: it never expires. */
  readonly expires_ms: number | null;
  readonly status: KeyStatus;
}

/** How long a vendor's model takes to its first byte: means of slots of five minutes, newest first. Of one whose alert was begun also where it is fast. */
export interface VendorPace {
  readonly vendor: string;
  readonly model: string;
  /** Of the last slots with enough calls: both have to be slow, so that a single call makes no alert. */
  readonly now_ms: readonly number[];
  /** Of the day before those. */
  readonly before_ms: readonly number[];
}

export interface GatewayFacts {
  /** Each vendor's calls and failures in slots of five minutes. */
  readonly vendors: readonly { readonly vendor: string; readonly calls: number; readonly failures: number }[];
  /** Routes whose first byte takes long now, with what it took before. */
  readonly paces: readonly VendorPace[];
  readonly circuits: readonly { readonly vendor: string; readonly model: string; readonly reason: string }[];
  readonly incidents: readonly { readonly id: number; readonly kind: string; readonly detail: string }[];
  /** The result of the last audit, as JSON; null before the first. */
  readonly audit: string | null;
  /** The names of the cells that are away (docs/adr/0085); absent: none is. */
  readonly away_cells?: readonly string[];
  /** When the last backup was made that is known; undefined where backups are not the gateway's own (PostgreSQL). */
  readonly backed_up_ms?: number | null;
  /** What was lost on the current UTC day. */
  readonly loss_micro: bigint;
}
