import { costPlaceOf } from "../../core/answer/shown-cost.ts";
import type { StoredAnswer } from "../../core/ledger/ledger.ts";
import type { Answer } from "../call/call.ts";

/** A finished answer larger than this is not kept for replay (docs/rulings.md 61). */
export const MAX_KEPT_BYTES = 32 * 1024 * 1024;

/** A stored answer for a repeated request: the same bytes, marked as a replay, not charged (docs/rulings.md 27, 62). */
export function replayAnswer(stored: StoredAnswer): Answer {
  return {
    status: stored.status,
    content_type: stored.content_type,
    headers: { ...stored.headers, "idempotent-replayed": "true" },
    body: stored.body,
  };
}

/** An answer to be kept, with the place where the books write its charge (docs/rulings.md 169). */
export function keptAnswerOf(answer: StoredAnswer): StoredAnswer {
  const cost_place = costPlaceOf(answer.body);
  return cost_place === null ? answer : { ...answer, cost_place };
}
