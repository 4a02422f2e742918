import { SQL } from "bun";
import { StoreConflict } from "../../core/store/ports.ts";
import { StoreRefusal, type StoreTrouble, StoreUnavailable } from "../../core/store-errors.ts";

/** Text with a NUL character or half a surrogate pair, which PostgreSQL does not store. */
const UNSTORABLE_TEXT = new Set(["22021", "22P05"]);

/** SQLSTATEs, and classes of them, that say what is wrong with the server and not with the statement. */
const TROUBLES: readonly { readonly starts: string; readonly trouble: StoreTrouble }[] = [
  { starts: "08", trouble: "unreachable" },
  { starts: "25006", trouble: "read_only" },
  { starts: "28", trouble: "unreachable" },
  { starts: "3D000", trouble: "unreachable" },
  { starts: "53100", trouble: "disk_full" },
  { starts: "53", trouble: "busy" },
  { starts: "55P03", trouble: "busy" },
  // A distributed engine does not know whether the commit took place.
  { starts: "40003", trouble: "silent" },
  // The server ended a statement that took too long.
  { starts: "57014", trouble: "busy" },
  { starts: "57", trouble: "unreachable" },
  { starts: "25P03", trouble: "silent" },
  { starts: "58", trouble: "disk_full" },
];

/** The server did not answer in time. */
export class DatabaseTimeout extends Error {
  constructor(deadline_ms: number) {
    super(`the database did not answer within ${deadline_ms} ms`);
  }
}

/** All connections were in use for too long: the server itself may be well. */
export class PoolExhausted extends Error {
  constructor(deadline_ms: number) {
    super(`no connection to the database was free within ${deadline_ms} ms`);
  }
}

/**
 * The error that the caller of a failed statement gets. Troubles of the server are StoreUnavailable, text that cannot be stored is a
 * StoreConflict; all else is thrown as it is.
 */
export function storeError(thrown: unknown, commit_sent: boolean): unknown {
  const state = sqlState(thrown);
  if (UNSTORABLE_TEXT.has(state)) {
    return new StoreConflict("The text has a character that cannot be stored.", { cause: thrown });
  }
  const trouble = troubleOf(thrown);
  if (trouble === null) return thrown;
  // An error that the server sends for a refused statement proves that the transaction did not take place.
  const nothing_happened = !commit_sent || (state !== "" && !/^(08|57P|40003)/.test(state));
  return new StoreUnavailable(trouble, messageOf(thrown), { nothing_happened, cause: thrown });
}

/** The trouble of the server; null where the failure is the statement's or our own. */
export function troubleOf(thrown: unknown): StoreTrouble | null {
  if (thrown instanceof DatabaseTimeout) return "silent";
  if (thrown instanceof PoolExhausted) return "busy";
  if (thrown instanceof StoreUnavailable) return thrown.trouble;
  const state = sqlState(thrown);
  if (state !== "") return TROUBLES.find(({ starts }) => state.startsWith(starts))?.trouble ?? null;
  // The driver's error codes, and the operating system's (ECONNREFUSED).
  return /^(ERR_POSTGRES_.*(CONNECT|TIMEOUT|CLOSED|TLS|AUTH)|E[A-Z]+$)/.test(codeOf(thrown)) ? "unreachable" : null;
}

/** Whether a connection that failed so must not be used again. A replica may be behind an address that was the primary's. */
export function losesConnection(trouble: StoreTrouble | null): boolean {
  return trouble !== null && trouble !== "busy" && trouble !== "disk_full";
}

/** The error of a commit's operations: trouble of the database, or an operation that can never be stored. */
export function commitError(thrown: unknown): unknown {
  if (thrown instanceof StoreUnavailable || thrown instanceof StoreRefusal) return thrown;
  return new StoreRefusal(`the database refused a batch: ${messageOf(thrown)}`, { cause: thrown });
}

/** The SQLSTATE of an error that the server sent; empty for any other. */
export function sqlState(thrown: unknown): string {
  return thrown instanceof SQL.PostgresError && typeof thrown.errno === "string" ? thrown.errno : "";
}

function codeOf(thrown: unknown): string {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : "";
  return typeof code === "string" ? code : "";
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
