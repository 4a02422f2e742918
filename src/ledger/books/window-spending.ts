import { add, type Micro, ZERO } from "../../core/money.ts";
import type { BudgetWindow } from "../../core/principal.ts";
import { windowStart } from "../../limits/windows.ts";
import type { BookOp } from "./book-op.ts";
import { changeKey, type KeyState, type WorkingSet } from "./working-set.ts";

/**
 * What a key has been charged in a window. A key's row keeps the sum of one window only: the window that its budget asked
 * for last. When a budget asks for another window, the store sums that window up before the batch is decided (`staleSums`).
 */
export function spentInWindow(key: KeyState, window: BudgetWindow, start_day: number): Micro {
  return key.spent_window === window && key.spent_start_day === start_day ? key.spent_micro : ZERO;
}

/** Whether a key's kept sum is of another window than the one that its budget asks for now. */
export function isSumStale(key: KeyState, window: BudgetWindow, day: number): boolean {
  return key.spent_window !== window || key.spent_start_day !== windowStart(window, day);
}

/** Adds a charge to the kept sum. The sum of a window that is over means nothing and is never asked for again. */
export function addSpent(key: KeyState, charge_micro: Micro): void {
  if (key.spent_window !== null) key.spent_micro = add(key.spent_micro, charge_micro);
}

/** A key whose kept sum is of another window than the window that a batch asks for. */
export interface StaleSum {
  readonly key: KeyState;
  readonly window: BudgetWindow;
}

/** The sums that a batch needs and that must be made anew before it is decided. */
export function staleSums(working: WorkingSet, ops: readonly BookOp[]): readonly StaleSum[] {
  const stale: StaleSum[] = [];
  for (const op of ops) {
    const key = op.op === "admit" ? working.keys.get(op.key_id) : keyOfExtension(working, op);
    const window = op.op === "admit" ? op.budget_window : key?.budget_window;
    if (key && window && isSumStale(key, window, working.day)) stale.push({ key, window });
  }
  return stale;
}

function keyOfExtension(working: WorkingSet, op: BookOp): KeyState | undefined {
  if (op.op !== "extend") return undefined;
  const request = working.requests.get(op.request_id);
  return request && working.keys.get(request.key_id);
}

/** Keeps a sum that was made anew: what a key has been charged in a window since the window's first day. */
export function keepSum(working: WorkingSet, { key, window }: StaleSum, start_day: number, spent_micro: Micro): void {
  key.spent_window = window;
  key.spent_start_day = start_day;
  key.spent_micro = spent_micro;
  changeKey(working, key);
}
