import type { StoreTrouble } from "../store-errors.ts";

/** A condition of a working database that its operator must know of: a setting that puts acknowledged commits at risk, a clock that is off. */
export interface StoreCondition {
  readonly code: string;
  /** A sentence. */
  readonly text: string;
}

/** An event of a database, for the log and the metrics. */
export type StoreEvent =
  | { readonly kind: "condition"; readonly condition: StoreCondition }
  /** A cell does not answer, or does again (`problem` null). */
  | { readonly kind: "cell"; readonly cell: string; readonly problem: string | null }
  /** The tables are about to be changed. `waits`: others use them, who go first. `from`: 0 where there are none yet. */
  | { readonly kind: "migration"; readonly from: number; readonly to: number; readonly waits: boolean }
  /** A work failed because the database could not be used. */
  | { readonly kind: "trouble"; readonly trouble: StoreTrouble }
  /**
   * Another server has become the primary. Requests of this node whose acknowledged commits it did not have: those that were
   * committed again, and those that could not be.
   */
  | {
      readonly kind: "failover";
      readonly mended: readonly string[];
      readonly lost: readonly string[];
      /** Whether more may be missing than this node remembers. */
      readonly may_be_more: boolean;
      readonly problem: string | null;
    };
