/** A vendor's credential that was set in the console, encrypted. */
export interface VendorCredentialRecord {
  readonly vendor_id: string;
  readonly key_version: number;
  /** Base64. */
  readonly nonce: string;
  readonly ciphertext: string;
  readonly set_ms: number;
  /** The actor that set it: a console user or `admin-token`. */
  readonly set_by: string;
}

/** Vendor credentials that were set in the console: one for each vendor at most. */
export interface VendorCredentialStore {
  /** In the order of the vendors' ids. */
  list(): Promise<VendorCredentialRecord[]>;
  /** Incremented by every change on any node; 0 before the first one. */
  revision(): Promise<number>;
  /** Replaces the vendor's credential if it has one. */
  put(record: Omit<VendorCredentialRecord, "set_ms">): Promise<void>;
  /** False when there was no credential. */
  remove(vendor_id: string): Promise<boolean>;
}
