import type { AccountArgs, AccountMethod } from "../accounts/account-calls.ts";
import type { PackedOp } from "./pack-op.ts";

/** What the main thread asks of a database thread. */
export type Task =
  | { readonly kind: "open"; readonly path: string; readonly role: "writer" | "reader" }
  | { readonly kind: "commit"; readonly ops: readonly PackedOp[] }
  | { readonly kind: "account"; readonly method: AccountMethod; readonly args: AccountArgs<AccountMethod> }
  | { readonly kind: "sweep" }
  | { readonly kind: "audit" }
  | { readonly kind: "ping" }
  | { readonly kind: "close" };

export interface Request {
  readonly id: number;
  readonly task: Task;
}

export type Reply =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly message: string; readonly is_conflict: boolean };
