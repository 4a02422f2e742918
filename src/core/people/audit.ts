/** The types of the audit log: who changed what, with the state before and after. */

export type AuditActor =
  | { readonly kind: "user"; readonly id: string /** Their e-mail at the time. */; readonly name: string }
  | { readonly kind: "management-key"; readonly id: string; readonly name: string }
  | { readonly kind: "admin-token" | "anonymous" | "gateway"; readonly id: null; readonly name: string };

/** The actor and the name of a change: written in the same transaction as the change. */
export interface AuditNote {
  readonly actor: AuditActor;
  /** `NOUN.VERB`, such as `key.create`. */
  readonly action: string;
  /** The address that the request came from; null for a change that no request made. */
  readonly address: string | null;
}

/** The audited object as JSON, without secrets. */
export type AuditSnapshot = Readonly<Record<string, unknown>>;

/** A change to be logged: an entry of the log before it has an id and a time. */
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
  /** A user's or a management key's id, or `admin-token`. */
  readonly actor?: string;
  /** A whole action, or the noun before its dot. */
  readonly action?: string;
  readonly object_id?: string;
  readonly account_id?: string;
  /** Only entries written at this time or later, and (`to_ms`) before that time. */
  readonly from_ms?: number;
  readonly to_ms?: number;
  /** Only entries older than this entry. */
  readonly before_id?: string;
  /** When that one was created, where these books need not have it. */
  readonly before_ms?: number;
  readonly limit: number;
}
