/** The words of the audit log: who changed what, how it was and became. */

export type AuditActor =
  | { readonly kind: "user"; readonly id: string /** Their e-mail at the time. */; readonly name: string }
  | { readonly kind: "admin-token" | "anonymous" | "gateway"; readonly id: null; readonly name: string };

/** Who does something and how it is called, written down beside the change, in its transaction. */
export interface AuditNote {
  readonly actor: AuditActor;
  /** `NOUN.VERB`, such as `key.create`. */
  readonly action: string;
  /** Where the request came from; null when it came from nowhere. */
  readonly address: string | null;
}

/** JSON objects without secrets. */
export type AuditSnapshot = Readonly<Record<string, unknown>>;

/** One line of the log, before it has a time and a place in it. */
export interface AuditChange extends AuditNote {
  readonly object: { readonly kind: string; readonly id: string | null };
  readonly account_id: string | null;
  readonly before: AuditSnapshot | null;
  readonly after: AuditSnapshot | null;
}

export interface AuditRecord extends AuditChange {
  readonly id: string;
  readonly created_ms: number;
}

export interface AuditLogQuery {
  /** A user's id, or `admin-token`. */
  readonly actor?: string;
  /** A whole action, or the noun before its dot. */
  readonly action?: string;
  readonly object_id?: string;
  readonly account_id?: string;
  /** Only what was written at this time or later, and before that. */
  readonly from_ms?: number;
  readonly to_ms?: number;
  /** Only what is older than this entry. */
  readonly before_id?: string;
  readonly limit: number;
}
