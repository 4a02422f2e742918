/** A key's name, whether the key still exists or was deleted. */
export interface KeyLabel {
  readonly id: string;
  readonly name: string;
  readonly hint: string;
  readonly deleted: boolean;
}

/** A new secret for a key. */
export interface KeyRoll {
  readonly hash: string;
  readonly hint: string;
  /** How long the old secret stays valid. */
  readonly overlap_ms: number;
}
