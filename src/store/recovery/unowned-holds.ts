import type { LocalRequestState } from "../../core/store/ports.ts";

/** A hold of this node's. */
export interface OwnHold {
  readonly id: string;
  /** Whether it is abandoned, should no request of the process own it. */
  readonly is_overdue: boolean;
}

/** The holds of this node that no request owns, by how they end. */
export interface UnownedHolds {
  /** Holds of admissions that were refused because nobody knew whether they had been committed. */
  readonly refused: readonly string[];
  /** Holds that were left behind, by whatever mistake. */
  readonly abandoned: readonly string[];
}

/** Which of this node's holds are to be ended, by what its process says of their requests. */
export function unownedOf(
  holds: readonly OwnHold[],
  localStateOf: (request_id: string) => LocalRequestState,
): UnownedHolds {
  const refused: string[] = [];
  const abandoned: string[] = [];
  for (const { id, is_overdue } of holds) {
    const fate = localStateOf(id);
    if (fate === "refused") refused.push(id);
    else if (fate === "unknown" && is_overdue) abandoned.push(id);
  }
  return { refused, abandoned };
}
