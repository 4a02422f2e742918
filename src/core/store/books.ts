import type { AuditOptions, AuditReport } from "../ledger/books-audit.ts";
import type { Micro } from "../money/money.ts";
import type { Store } from "./ports.ts";

/** Facts about a database, read without changing anything in it. */
export interface DatabaseFacts {
  /** The version of its tables; 0 where it has none yet. */
  readonly schema_version: number;
  /** The version that this program makes of it when it starts. */
  readonly known_version: number;
  /** The server's or the library's name and version. */
  readonly engine: string;
  /** The rights that a gateway lacks there, each as a sentence; empty where it has all that it needs. */
  readonly lacks: readonly string[];
  /** Settings that put acknowledged commits at risk, each as a sentence. */
  readonly conditions: readonly string[];
  /**
   * Which commits were acknowledged and are missing, and what to do, where the tables are older than this program's, or there are
   * none: in tables of its version the audit finds it. Null where none is known to be missing.
   */
  readonly lost: string | null;
}

/** Operations that were acknowledged and that no table has yet: SQLite's journal (docs/adr/0015). */
export interface Waiting {
  readonly operations: number;
  /** What those of them that ended a request charged for it. */
  readonly charged_micro: Micro;
}

/** A database that is open for reading alone. */
export interface Books {
  readonly kind: Store["kind"];
  readonly description: string;
  facts(): Promise<DatabaseFacts>;
  /** An account's id, by id or e-mail. */
  findAccountId(id_or_email: string): Promise<string | null>;
  audit(options?: AuditOptions): Promise<AuditReport>;
  /** What an audit at this moment would not see. In tables of the version that this program knows alone. */
  waiting(): Promise<Waiting>;
  close(): Promise<void>;
}
