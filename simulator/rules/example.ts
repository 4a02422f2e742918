/** A request that breaks a rule of a table, and words that the error must contain. */
export interface Example {
  /** The row, by what it refuses. */
  readonly row: string;
  /** The model, with the vendor that it is like. */
  readonly model?: string;
  /** The members that are changed in a request that the table accepts. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly says: string;
  readonly code?: string | null;
  readonly param?: string | null;
  readonly status?: number;
}
