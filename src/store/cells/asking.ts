import type { AccountStore } from "../../core/store/ports.ts";
import type { AccountArgs, AccountMethod } from "../calls/account-calls.ts";
import type { Cell, Cells } from "./cells.ts";

export type AccountResult<M extends AccountMethod> = AccountStore[M] extends (...args: never[]) => Promise<infer Result>
  ? Result
  : never;

/** How a method is asked of one cell: of its accounts, or of those that write what they change to the audit log. */
type AskCell<M extends AccountMethod> = (cell: Cell, ...args: AccountArgs<M>) => Promise<AccountResult<M>>;

export interface Asking<M extends AccountMethod> {
  readonly cells: Cells;
  readonly ask: AskCell<M>;
}
