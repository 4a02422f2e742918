import { add, type Micro, ZERO } from "../../core/money/money.ts";
import type { BudgetWindow } from "../../core/people/principal.ts";
import { windowStart } from "../../limits/windows.ts";
import type { BookOp } from "./book-op.ts";
import {
  type AccountState,
  changeKey,
  changeLimits,
  changeProject,
  type KeyState,
  type ProjectState,
  type Spending,
  type WorkingSet,
} from "./working-set.ts";

/**
 * The charges of a key, a project or an account in a window. A row keeps the sum of one window only: the window that its budget
 * asked for last. When a budget asks for another window, the store sums that window up before the batch is decided
 * (`staleSums`).
 */
export function spentInWindow(spending: Spending, window: BudgetWindow, start_day: number): Micro {
  return spending.spent_window === window && spending.spent_start_day === start_day ? spending.spent_micro : ZERO;
}

/** Whether a kept sum is of another window than the one that its budget asks for now. */
export function isSumStale(spending: Spending, window: BudgetWindow, day: number): boolean {
  return spending.spent_window !== window || spending.spent_start_day !== windowStart(window, day);
}

/** Adds a charge to the kept sum. The sum of a window that is over means nothing and is never asked for again. */
export function addSpent(spending: Spending, charge_micro: Micro): void {
  if (spending.spent_window !== null) spending.spent_micro = add(spending.spent_micro, charge_micro);
}

/** Changes a kept sum by what belongs to an earlier day. False where that day is not in its window. */
export function addSpentOn(spending: Spending, day: number, difference_micro: Micro): boolean {
  if (spending.spent_window === null || day < spending.spent_start_day) return false;
  if (windowStart(spending.spent_window, day) !== spending.spent_start_day) return false;
  spending.spent_micro = add(spending.spent_micro, difference_micro);
  return true;
}

/** A kept sum of another window than the window that a batch asks for: of a key, of a project, or of an account. */
export interface StaleSum {
  readonly account_id: string;
  readonly key: KeyState | null;
  readonly project: ProjectState | null;
  readonly account: AccountState | null;
  readonly spending: Spending;
  readonly window: BudgetWindow;
}

/** The sums that a batch needs and that must be made anew before it is decided. */
export function staleSums(working: WorkingSet, ops: readonly BookOp[]): readonly StaleSum[] {
  const stale: StaleSum[] = [];
  for (const op of ops) {
    if (op.op !== "admit" && op.op !== "extend") continue;
    const request = op.op === "extend" ? working.requests.get(op.request_id) : op;
    if (request === undefined) continue;
    const key = working.keys.get(request.key_id);
    const window = op.op === "admit" ? op.budget?.window : key?.budget_window;
    if (key && window && isSumStale(key, window, working.day))
      stale.push({ ...NOBODY, account_id: key.account_id, key, spending: key, window });
    const project_id = op.op === "admit" ? key?.project_id : working.requests.get(op.request_id)?.project_id;
    const project = project_id == null ? undefined : working.projects.get(project_id);
    if (project?.budget_window && isSumStale(project, project.budget_window, working.day))
      stale.push({
        ...NOBODY,
        account_id: project.account_id,
        project,
        spending: project,
        window: project.budget_window,
      });
    const account = working.accounts.get(request.account_id);
    const limits = account?.limits;
    if (account && limits?.budget_window && isSumStale(limits, limits.budget_window, working.day))
      stale.push({ ...NOBODY, account_id: account.id, account, spending: limits, window: limits.budget_window });
  }
  return stale;
}

const NOBODY = { key: null, project: null, account: null } as const;

/** Keeps a sum that was made anew: what has been charged in a window since the window's first day. */
export function keepSum(
  working: WorkingSet,
  { key, project, account, spending, window }: StaleSum,
  start_day: number,
  spent_micro: Micro,
): void {
  spending.spent_window = window;
  spending.spent_start_day = start_day;
  spending.spent_micro = spent_micro;
  if (key !== null) changeKey(working, key);
  if (project !== null) changeProject(working, project);
  if (account !== null) changeLimits(working, account);
}
