import type { AuditNote } from "./audit.ts";

/** Keys of programs that administer: each with scopes (contract/permissions.ts), perhaps for one account alone. */
export interface ManagementKeyRecord {
  readonly id: string;
  readonly name: string;
  /** The key's last four characters. */
  readonly hint: string;
  readonly scopes: readonly string[];
  /** The only account that it may reach; null: all of them. */
  readonly account_id: string | null;
  /** A user's id, another management key's, or `admin-token`. */
  readonly created_by: string;
  readonly created_ms: number;
  readonly expires_ms: number | null;
  readonly last_used_ms: number | null;
  readonly revoked_ms: number | null;
}

export interface NewManagementKey
  extends Pick<ManagementKeyRecord, "id" | "name" | "hint" | "scopes" | "account_id" | "created_by" | "expires_ms"> {
  /** The keyed hash under which it is stored. */
  readonly hash: string;
}

export interface ManagementKeyStore {
  /** Rejects with a StoreConflict where its `Idempotency-Key` has made it, or the account is not there. */
  createManagementKey(key: NewManagementKey, note: AuditNote): Promise<ManagementKeyRecord>;
  /** Newest first; of one account, or of all. Revoked ones too. */
  listManagementKeys(query: {
    readonly account_id: string | null;
    readonly before_id?: string;
    readonly limit: number;
  }): Promise<ManagementKeyRecord[]>;
  findManagementKey(id: string): Promise<ManagementKeyRecord | null>;
  /** The key with this hash, whether or not it may still be used. `stale`: its last recorded use is old. */
  findManagementKeyByHash(
    hash: string,
  ): Promise<{ readonly key: ManagementKeyRecord; readonly usable: boolean; readonly stale: boolean } | null>;
  touchManagementKey(id: string): Promise<void>;
  /** Ends a key for good; its row stays for readers of the audit log. Null where there is no such key. */
  revokeManagementKey(id: string, note: AuditNote): Promise<ManagementKeyRecord | null>;
}
