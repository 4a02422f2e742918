/** The trouble of a database that cannot be used at the moment. */
export type StoreTrouble =
  /** No connection can be made, or the connection was lost. */
  | "unreachable"
  /** The database was asked and did not answer in time. */
  | "silent"
  /** The database reports that it lacks time, room or connections, or that a lock was not granted in time. */
  | "busy"
  /** The database is read-only: a replica, or a server with that setting. */
  | "read_only"
  | "disk_full"
  /** The address leads to a database that is not the one which was opened. */
  | "other_database";

/**
 * The database cannot be used at the moment for any statement: the same request may succeed later. Clients get a 503 with `retry-after`.
 */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
  readonly trouble: StoreTrouble;
  /** Whether it is certain that the operations did not take place. It is uncertain once a commit was sent. */
  readonly nothing_happened: boolean;

  constructor(trouble: StoreTrouble, message: string, detail: { nothing_happened: boolean; cause?: unknown }) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.trouble = trouble;
    this.nothing_happened = detail.nothing_happened;
  }
}

/** The database works and refuses the batch: one of its operations can never be stored. Nothing of the batch took place. */
export class StoreRefusal extends Error {
  override readonly name = "StoreRefusal";
}
