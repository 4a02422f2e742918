import { add, type Micro, ZERO } from "../../core/money.ts";
import type { BudgetWindow } from "../../core/principal.ts";
import { windowStart } from "../../limits/windows.ts";
import type { KeyState } from "./page.ts";

/**
 * What a key has been charged in a window. The row keeps the sum of one window, the one its budget last asked for;
 * whoever loads a key whose budget asks for another one sums that up first.
 */
export function spentInWindow(key: KeyState, window: BudgetWindow, start_day: number): Micro {
  return key.spent_window === window && key.spent_start_day === start_day ? key.spent_micro : ZERO;
}

/** Whether a key's kept sum is of another window than the one that its budget asks for now. */
export function isSumStale(key: KeyState, window: BudgetWindow, day: number): boolean {
  return key.spent_window !== window || key.spent_start_day !== windowStart(window, day);
}

/** Adds a charge to the kept sum. Where its window is over, the sum is of no meaning and is never asked for again. */
export function addSpent(key: KeyState, charge_micro: Micro): void {
  if (key.spent_window !== null) key.spent_micro = add(key.spent_micro, charge_micro);
}
