import type { Dialect } from "../sql/statement.ts";

/** One step of the schema. Steps are only ever added, and only add (docs/compatibility.md): a database moves forward, never back. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  /**
   * The oldest schema version whose programs still work on a database after this step. A step that only adds keeps the
   * previous step's version; a step that older programs do not work with names its own version.
   */
  readonly compatible_from: number;
  /** `made_ms`: when the tables are made, as their first partition is of that month. */
  statements(dialect: Dialect, made_ms: number): readonly string[];
}
