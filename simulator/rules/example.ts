/** A request that breaks a rule of a table, and words that the error must contain. */
export interface Example {
  /** The row's `refuses` text. */
  readonly row: string;
  /** The model, with the vendor that it imitates. */
  readonly model?: string;
  /** The members that change an otherwise accepted request. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly says: string;
  readonly code?: string | null;
  readonly param?: string | null;
  readonly status?: number;
}
