import { add, type Micro, ZERO } from "../../core/money/money.ts";
import type { BudgetWindow } from "../../core/people/principal.ts";
import { windowStart } from "../../limits/windows.ts";
import type { BookOp } from "./book-op.ts";
import {
  type AccountState,
  changeKey,
  changeLimits,
  changeProject,
  dayOfAccount,
  type KeyState,
  type ProjectState,
  type Spending,
  type WorkingSet,
} from "./working-set.ts";

/**
 * The charges of a key, a project or an account in a window. A row keeps the sum of one window only: the window that its budget
 * asked for last. Each charge that is added begins the sum of a new day, week or month where one has come (`addSpent`), so a sum of an
 * earlier one says that nothing was charged since. When a budget asks for another kind of window, the store sums that window up before the
 * batch is decided (`staleSums`). Days are those of the account's time zone (docs/rulings.md 179).
 */
export function spentInWindow(spending: Spending, window: BudgetWindow, start_day: number): Micro {
  return spending.spent_window === window && spending.spent_start_day === start_day ? spending.spent_micro : ZERO;
}

/** Whether a kept sum is of another kind of window than its budget asks for now, or of a later one, as after a clock was set back. */
function isSumStale(spending: Spending, window: BudgetWindow, day: number): boolean {
  return spending.spent_window !== window || spending.spent_start_day > windowStart(window, day);
}

/** Adds a charge of today to the kept sum, which begins anew where today is in a later window. */
export function addSpent(spending: Spending, day: number, charge_micro: Micro): void {
  if (spending.spent_window === null) return;
  const start_day = windowStart(spending.spent_window, day);
  if (start_day > spending.spent_start_day) {
    spending.spent_start_day = start_day;
    spending.spent_micro = ZERO;
  }
  spending.spent_micro = add(spending.spent_micro, charge_micro);
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
  /** The window's first day. */
  readonly start_day: number;
  /** The zone of the account's days; null: UTC. */
  readonly time_zone: string | null;
}

/** The sums that a batch needs and that must be made anew before it is decided. */
export function staleSums(working: WorkingSet, ops: readonly BookOp[]): readonly StaleSum[] {
  const stale: StaleSum[] = [];
  for (const op of ops) {
    if (op.op !== "admit" && op.op !== "extend") continue;
    const request = op.op === "extend" ? working.requests.get(op.request_id) : op;
    if (request === undefined) continue;
    const key = working.keys.get(request.key_id);
    const account = working.accounts.get(request.account_id);
    const day = dayOfAccount(working, account?.time_zone ?? null);
    const meet = (spending: Spending, window: BudgetWindow, holder: Partial<StaleSum>): void => {
      if (!isSumStale(spending, window, day)) return;
      const of = { account_id: request.account_id, time_zone: account?.time_zone ?? null };
      stale.push({ ...NOBODY, ...of, ...holder, spending, window, start_day: windowStart(window, day) });
    };
    const window = op.op === "admit" ? op.budget?.window : key?.budget_window;
    if (key && window && key.account_id === request.account_id) meet(key, window, { key });
    const project_id = op.op === "admit" ? key?.project_id : working.requests.get(op.request_id)?.project_id;
    const project = project_id == null ? undefined : working.projects.get(project_id);
    if (project?.budget_window) meet(project, project.budget_window, { project });
    const limits = account?.limits;
    if (account && limits?.budget_window) meet(limits, limits.budget_window, { account });
  }
  return stale;
}

const NOBODY = { key: null, project: null, account: null } as const;

/** Keeps a sum that was made anew: what has been charged in a window since the window's first day. */
export function keepSum(
  working: WorkingSet,
  { key, project, account, spending, window, start_day }: StaleSum,
  spent_micro: Micro,
): void {
  spending.spent_window = window;
  spending.spent_start_day = start_day;
  spending.spent_micro = spent_micro;
  if (key !== null) changeKey(working, key);
  if (project !== null) changeProject(working, project);
  if (account !== null) changeLimits(working, account);
}
