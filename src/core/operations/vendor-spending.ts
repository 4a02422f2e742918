/** What was spent at a vendor on a UTC day, by its own prices. */
export interface VendorSpending {
  /** Days since the epoch. */
  readonly day: number;
  readonly vendor: string;
  /** The name of one of its credentials that has a limit of its own; empty for the vendor. */
  readonly credential: string;
  readonly spent_micro: bigint;
}

/** What all nodes have spent today, and how many of them are alive. */
export interface SharedSpending {
  readonly spending: readonly VendorSpending[];
  readonly nodes: number;
}
