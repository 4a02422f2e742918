import type { LedgerOp, LedgerResult } from "../ledger/ledger.ts";

/**
 * Cells: whole sets of books at addresses of their own (docs/adr/0085). An account lives in one of them; one of them is the directory, which has
 * a row of each account that says where it lives.
 */

export const DIRECTORY = "directory";

export interface NewAccount {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** In the directory: the cell that the account lives in; absent: these books. */
  readonly cell?: string;
  /** In its cell: when the directory made it. */
  readonly created_ms?: number;
}

/** The lists of all accounts that are read in pages, by the time of their rows. */
export type PagedList = "accounts" | "keys" | "projects" | "audit_log";

/** An account of another cell, by its row in the directory. */
export interface PlacedAccount {
  readonly id: string;
  readonly cell: string;
  readonly created_ms: number;
}

/** The accounts that a set of books knows, in pages: some that follow an id, in the order of their ids. */
export interface AccountPlaces {
  /** The ids of accounts that it has itself. */
  accountsAfter(account_id: string): Promise<string[]>;
  /** Asked of a directory: accounts that live in other cells, each with its cell. */
  placesAfter(account_id: string): Promise<PlacedAccount[]>;
}

/** What is asked of a cell that no caller of a whole store needs. */
export interface CellParts extends AccountPlaces {
  /** When a row of a list was created; null: these books have no such row. */
  createdAt(list: PagedList, id: string): Promise<number | null>;
  /** The account of the entry that was booked with an id of its caller's; null: these books have none. */
  bookedFor(booking_id: string): Promise<string | null>;
  /** Asked of a directory: the names of the cells that get no new accounts (`camino cell drain`). */
  drainedCells(): Promise<string[]>;
}

/** The ledgers of several sets of books, each of which commits by itself. */
export interface LedgerLanes {
  readonly stores: readonly LaneStore[];
  /** The place of an account's ledger among them, as far as it is known: another one refuses what is not its account's. */
  laneOf(account_id: string): number;
}

interface LaneStore {
  /** See `LedgerStore`. */
  commit(ops: readonly LedgerOp[]): Promise<LedgerResult[]>;
}

export interface ListedCell {
  readonly name: string;
  /** The address without the user's name and password. */
  readonly database: string;
  readonly weight: number;
  /** `ready`; `drained`: it gets no new accounts; else why it cannot be used. */
  readonly state: string;
  readonly accounts: number;
  /** Accounts whose move was interrupted or goes on: they take no calls. */
  readonly moving: readonly string[];
  readonly requests_today: number;
}

export interface DrainedCell {
  readonly name: string;
  readonly moved: readonly MovedAccount[];
  /** Those that are still there, each with why. */
  readonly left: readonly { readonly account_id: string; readonly why: string }[];
}

export interface MovedAccount {
  readonly account_id: string;
  readonly from: string;
  readonly to: string;
  readonly rows: number;
  /** How long the account took no calls. */
  readonly stopped_ms: number;
}

export interface AddedCell {
  readonly name: string;
  readonly database: string;
  /** Whether it was one before. */
  readonly was_there: boolean;
}
