/**
 * `replay_differs`: a batch was decided otherwise than it was acknowledged, and what was acknowledged was written.
 * `put_aside`: operations that were acknowledged could not be written. `log_lost`: acknowledged commits are gone.
 * `unproven`: nothing proves that the database is whole. `wrong_row`: a vendor's usage contradicts the catalogue's row of its model.
 */
export type IncidentKind = "replay_differs" | "put_aside" | "log_lost" | "unproven" | "wrong_row";

/** A row of the catalogue that its vendor's usage contradicts (docs/rulings.md 171). A changed row is another row. */
export interface WrongRow {
  readonly model: string;
  /** Names the row's content: a short hash of it. */
  readonly row: string;
}

/** A fault of the books for a person to look at; open until a person closes it (docs/rulings.md 148). */
export interface IncidentRecord {
  readonly id: number;
  readonly at_ms: number;
  readonly kind: IncidentKind;
  readonly detail: string;
}

/** A notice of a database to the gateway's owner. After a `fatal` notice the store works no more. */
export interface StoreNotice {
  readonly level: "fatal" | "error" | "warn";
  readonly message: string;
}
