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
  statements(dialect: Dialect): readonly string[];
}
