import type { StoredAnswer } from "../../core/ledger.ts";
import type { Answer, BilledCall } from "../call.ts";
import { ignoredValue } from "../generation/ignored-value.ts";

/** A stored answer as it is sent again: the same bytes, marked, uncharged (docs/rulings.md 27). */
export function replayAnswer(stored: StoredAnswer): Answer {
  return {
    status: stored.status,
    content_type: stored.content_type,
    headers: { ...stored.headers, "idempotent-replayed": "true" },
    body: stored.body,
  };
}

/** The headers that belong to an answer's meaning and are kept with it. */
export function keptHeaders(run: { readonly call: Pick<BilledCall, "notes"> }): Record<string, string> {
  const { ignored } = run.call.notes;
  return ignored.length === 0 ? {} : { "x-camino-ignored": ignoredValue(ignored) };
}
