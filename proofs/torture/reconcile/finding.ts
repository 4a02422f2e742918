/**
 * What a reconciliation can find. `lost`: an answer that was delivered and not charged. `doubled`: more than one charge for one
 * request. `invented`: a charge for what was not asked or not given. `held`: money that is still set aside when all is at
 * rest. `amount`: a charge that is not price × usage. `overdrawn`: a balance below zero. `overspent`: a budget that was exceeded.
 * `books`: sums that do not agree. `answer`: an answer that no client should get, or somebody else's. `audit`: what the gateway's own
 * audit found. `broken world`: the torture could not bring a round to its end.
 */
export const FINDING_KINDS = [
  "lost",
  "doubled",
  "invented",
  "held",
  "amount",
  "overdrawn",
  "overspent",
  "books",
  "answer",
  "audit",
  "broken world",
] as const;

export type FindingKind = (typeof FINDING_KINDS)[number];

export interface Finding {
  readonly kind: FindingKind;
  /** A sentence that names the request, call or account. */
  readonly what: string;
}
