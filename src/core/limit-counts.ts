/** How many keys and accounts there are, and how many have limits of their own. Deleted keys do not count. */
export interface LimitCounts {
  readonly keys: number;
  readonly limited_keys: number;
  readonly accounts: number;
  readonly limited_accounts: number;
}
