/** A cell as it is configured: a PostgreSQL database of its own. */
export interface CellAddress {
  readonly name: string;
  readonly url: string;
  /** How many of the new accounts it gets, in proportion to the others; 0: none. */
  readonly weight: number;
}

export interface CellSettings {
  /** The weight of the directory, whose address is the gateway's database. */
  readonly directory_weight: number;
  /** The other cells. */
  readonly cells: readonly CellAddress[];
}
