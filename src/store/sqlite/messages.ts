import type { StoreNotice } from "../../core/operations/incidents.ts";
import type { AuditNote } from "../../core/people/audit.ts";
import type { BookOp } from "../../ledger/books/book-op.ts";
import type { AuditMethod } from "../audit/audit-slices.ts";
import type { RebuildMethod } from "../audit/rebuild-calls.ts";
import type { AccountMethod } from "../calls/account-calls.ts";
import type { DeliveryMethod } from "../deliveries/delivery-calls.ts";
import type { UnownedHolds } from "../recovery/unowned-holds.ts";
import type { ResponseMethod } from "../responses/response-calls.ts";
import type { UpkeepMethod } from "../upkeep/upkeep-calls.ts";
import type { UserMethod } from "../users/user-calls.ts";
import type { AdministrationMethod } from "../vendors/administration-calls.ts";

/** The tasks that the main thread gives to a database thread. */
export type Task =
  | {
      readonly kind: "open";
      readonly path: string;
      readonly role: "writer" | "reader";
      /** The living nodes, which end their own holds; absent: all open holds were left behind. */
      readonly living?: readonly string[];
    }
  | CommitTask
  | {
      readonly kind: "account";
      readonly method: AccountMethod;
      readonly args: readonly unknown[];
      /** Set where the change is written to the audit log. */
      readonly note?: AuditNote;
    }
  | { readonly kind: "delivery"; readonly method: DeliveryMethod; readonly args: readonly unknown[] }
  | { readonly kind: "user"; readonly method: UserMethod; readonly args: readonly unknown[] }
  | { readonly kind: "administration"; readonly method: AdministrationMethod; readonly args: readonly unknown[] }
  | { readonly kind: "response"; readonly method: ResponseMethod; readonly args: readonly unknown[] }
  /** Writes what was committed to its tables, where readers see it. */
  | { readonly kind: "fold" }
  /** Deletes old rows, and returns the holds of a node that have been open for a while. */
  | { readonly kind: "sweep"; readonly node_id: string }
  /** Ends holds that no request owns. */
  | { readonly kind: "recover"; readonly unowned: UnownedHolds }
  /** Ends the holds of a node whose process has ended. */
  | { readonly kind: "bury"; readonly node_id: string }
  /** A worker's first message to the process that owns the database: its node's id. It has no answer. */
  | { readonly kind: "greet"; readonly node_id: string }
  /** Forgets the texts of a client that is gone. */
  | { readonly kind: "forget"; readonly client: number }
  | { readonly kind: "audit"; readonly method: AuditMethod; readonly args: readonly unknown[] }
  | { readonly kind: "upkeep"; readonly method: UpkeepMethod; readonly args: readonly unknown[] }
  | { readonly kind: "rebuild"; readonly method: RebuildMethod; readonly args: readonly unknown[] }
  | { readonly kind: "ping" }
  | { readonly kind: "close" };

/** A batch with values that JSON cannot express. All other batches travel as text: the question's id, a space, the packed batch as JSON. */
interface CommitTask {
  readonly kind: "commit";
  readonly batch: readonly BookOp[];
}

/** Travels as a structured clone. */
export interface Request {
  readonly id: number;
  readonly task: Task;
}

/** A message that a database thread sends without being asked. */
export interface Notification {
  readonly notice: StoreNotice;
}

export type Reply =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly message: string; readonly is_conflict: boolean };

/**
 * The id of a question to the database's thread has the client's number in its upper 21 bits and the client's own id in the lower 32.
 * Client 0 is the process that owns the database. JSON keeps such numbers exactly.
 */
const IDS_PER_CLIENT = 2 ** 32;

export function idOf(client: number, own_id: number): number {
  return client * IDS_PER_CLIENT + (own_id % IDS_PER_CLIENT);
}

export function clientOf(id: number): number {
  return Math.floor(id / IDS_PER_CLIENT);
}

export function ownIdOf(id: number): number {
  return id % IDS_PER_CLIENT;
}
