import type { Usage, UsageExtra } from "../../core/money/usage.ts";

/** The rare part of a usage (docs/adr/0018) as a request's row and the journal have it: JSON, and null on nearly all requests. */
export function extraText({ extra }: Usage): string | null {
  return extra === undefined ? null : JSON.stringify(extra);
}

export function readExtra(text: string): UsageExtra {
  return JSON.parse(text);
}
