/** The trouble of a database that cannot be used at the moment. */
export type StoreTrouble =
  /** No connection can be made, or the connection was lost. */
  | "unreachable"
  /** The database was asked and did not answer in time. */
  | "silent"
  /** The database answers that it has no time, room or connections left, or that a lock was not given in time. */
  | "busy"
  /** The database takes no changes: a replica, or a server that was set so. */
  | "read_only"
  | "disk_full"
  /** The address leads to a database that is not the one which was opened. */
  | "other_database";

/**
 * The database cannot be used at the moment, whatever it is asked for: the same request may succeed later. Clients get a
 * 503 with `retry-after`.
 */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
  readonly trouble: StoreTrouble;
  /** Whether it is certain that nothing of what was asked for took place. It is not once a commit is on its way. */
  readonly nothing_happened: boolean;

  constructor(trouble: StoreTrouble, message: string, detail: { nothing_happened: boolean; cause?: unknown }) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.trouble = trouble;
    this.nothing_happened = detail.nothing_happened;
  }
}

/**
 * The database works, and refuses what it was asked for: an operation of the batch has something that can never be
 * stored. Nothing of the batch took place.
 */
export class StoreRefusal extends Error {
  override readonly name = "StoreRefusal";
}
