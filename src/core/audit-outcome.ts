/** The outcome of the last daily audit, as all nodes show it. */
export interface AuditOutcome {
  readonly at_ms: number;
  readonly duration_ms: number;
  readonly accounts: number;
  readonly requests: number;
  readonly problems: number;
  /** The first problems, as sentences. */
  readonly first: readonly string[];
}

/** The state of the daily audit. */
export interface AuditState {
  /** The hour, UTC; null where it is switched off. */
  readonly hour: number | null;
  readonly running: boolean;
  /** Null before the first audit. */
  readonly last: AuditOutcome | null;
}
