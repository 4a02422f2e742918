/** A change that a rule refuses, with the reason in words for whoever asked for it. */
export interface Refused {
  readonly refused: string;
}

export function refused(reason: string): Refused {
  return { refused: reason };
}

export function isRefused(decision: unknown): decision is Refused {
  return typeof decision === "object" && decision !== null && "refused" in decision;
}
