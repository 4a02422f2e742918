/** A request that breaks a row of a table, and words that the answer to it must have. */
export interface Example {
  /** The row, by what it refuses. */
  readonly row: string;
  /** The model, with the vendor that it is like. */
  readonly model?: string;
  /** What is changed in a request that is taken. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly says: string;
  readonly code?: string | null;
  readonly param?: string | null;
  readonly status?: number;
}
