import type { Micro } from "../money/money.ts";

/** The open holds in the database, and the gateways that use it. */
export interface StoreState {
  readonly open_holds: { readonly count: number; readonly sum_micro: Micro; readonly oldest_ms: number | null };
  /** Σ of the accounts' held amounts: equal to the sum of open holds in sound books. */
  readonly held_micro: Micro;
  /** Incidents that nobody has closed (core/operations/incidents.ts). */
  readonly open_incidents: number;
  /** Marks of gateways, the newest first; empty for an embedded database, which has one gateway. */
  readonly nodes: readonly { readonly id: string; readonly seen_ms: number; readonly alive: boolean }[];
}
