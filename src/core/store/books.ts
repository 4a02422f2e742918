import type { AuditOptions, AuditReport } from "../ledger/books-audit.ts";
import type { Micro } from "../money/money.ts";
import type { AccountPlaces } from "./cells.ts";
import type { Store } from "./ports.ts";

/** Facts about a database, read without changing anything in it. */
export interface DatabaseFacts {
  /** The version of its tables; 0 where it has none yet. */
  readonly schema_version: number;
  /** The version to which this program migrates it when it starts. */
  readonly known_version: number;
  /** The oldest version whose programs work on these tables: one that knows less does not start. */
  readonly needed_version: number;
  /** The server's or the library's name and version. */
  readonly engine: string;
  /** The rights that a gateway lacks there, each as a sentence; empty where it has all that it needs. */
  readonly lacks: readonly string[];
  /** Settings that put acknowledged commits at risk, and a clock here that is off, each as a sentence. */
  readonly conditions: readonly string[];
  /**
   * The sentence that says which acknowledged commits are missing and what to do about it; null where none is known to be missing. Set only
   * where the schema is older than this program's or there are no tables: in tables of this version the audit finds missing commits.
   */
  readonly lost: string | null;
  /** The fingerprint of the secret that its keys were made with; null where none is known yet. */
  readonly secret_fingerprint: number | null;
}

/** Acknowledged operations that are in SQLite's journal and not in the tables yet (docs/adr/0015). */
export interface Waiting {
  readonly operations: number;
  /** The charges of the requests that these operations ended. */
  readonly charged_micro: Micro;
}

/** A database that is open for reading only. */
export interface Books {
  readonly kind: Store["kind"];
  readonly description: string;
  facts(): Promise<DatabaseFacts>;
  /** An account's id, by id or e-mail. */
  findAccountId(id_or_email: string): Promise<string | null>;
  audit(options?: AuditOptions): Promise<AuditReport>;
  /** Absent: there are no cells of this kind. */
  readonly places?: AccountPlaces;
  /** The operations that an audit would miss at this moment. Only for tables of the version that this program knows. */
  waiting(): Promise<Waiting>;
  close(): Promise<void>;
}
