/** The opening or closing of a circuit (docs/rulings.md 150), for the vendors' history over all nodes. */
export interface CircuitChange {
  /** A number that grows with each change of a process, also over its restarts. */
  readonly no: number;
  readonly vendor: string;
  readonly upstream_model: string;
  /** The account that alone is kept from the route; null: everybody. */
  readonly account_id: string | null;
  readonly state: "opened" | "closed";
  readonly reason: CircuitReason;
  /** The attempts and failures that opened it; 0 where it closed. */
  readonly attempts: number;
  readonly failures: number;
  /** How long ago it was. */
  readonly age_ms: number;
}

/**
 * Why a circuit opened: several connections in a row failed (`unreachable`), or half of the attempts did (`failures`). Why it closed: a call
 * was answered (`answered`), an administrator's test was (`tested`), the vendor's credential has changed (`credential`), or the route was
 * closed to all accounts instead of one (`for_everybody`).
 */
export type CircuitReason = "unreachable" | "failures" | "answered" | "tested" | "credential" | "for_everybody";

export interface CircuitRecord extends Omit<CircuitChange, "age_ms"> {
  readonly node_id: string;
  readonly at_ms: number;
}

export interface CircuitQuery {
  readonly since_ms: number;
  readonly vendor?: string;
  readonly limit: number;
}
