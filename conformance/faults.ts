import type { Client } from "./cell.ts";

/** Ways to fail. Each is a model for each client: one that fails five times in a row is left alone for a while. */
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

/** The kind of model that fails in that way, for one client. */
export function failingKind(fault: Fault, client: Client): string {
  return `${fault}.${client}`;
}
