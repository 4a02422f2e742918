import type { Client } from "./cell.ts";

/**
 * Ways to fail. Each client has its own model for each fault, as the circuit breaker opens after five failures in a
 * row.
 */
export const FAULTS = [
  "error-first",
  "error-mid",
  "cut-before-content",
  "cut-mid",
  "end-mid",
  "bad-json",
  "fail-400",
  "fail-401",
  "fail-429",
  "fail-500",
] as const;

export type Fault = (typeof FAULTS)[number];

/** The kind of model that has the fault, for one client. */
export function failingKind(fault: Fault, client: Client): string {
  return `${fault}.${client}`;
}
