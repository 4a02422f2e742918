/** A promise that did not hold, with what is needed to see it again. */
export interface Finding {
  readonly kind: FindingKind;
  readonly what: string;
  /** The number of the case; null where it belongs to a whole batch. */
  readonly case_number: number | null;
}

export const FINDING_KINDS = [
  /** Bytes that are no HTTP, no JSON where there should be, an illegal stream, an error in no style. */
  "answer",
  /** A status or code that the tables of errors do not have there. */
  "status",
  /** No answer and no end. */
  "unanswered",
  /** A text of another case. */
  "leak",
  /** A request to the vendor that is no HTTP or JSON, or that has a client's key. */
  "vendor request",
  /** Money that is still set aside, or a request that is still in flight, at rest. */
  "held",
  /** A charge that nothing explains. */
  "charge",
  "books",
  "audit",
  "log",
  "memory",
  /** The process ended, or the world could not be used. */
  "process",
  /** A target that runs without the gateway. */
  "target",
] as const;

export type FindingKind = (typeof FINDING_KINDS)[number];
