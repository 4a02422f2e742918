/** How a method writes that leaves the ledger's rows alone, neither reading nor changing them; the last one reads them, and comes after what waits. */
export type BesideKind = "write beside" | "write beside at once" | "write after the books";

/**
 * When a transaction must be on the disk. One that changes nothing that the books rely on may reach it with the next commit: a power cut in
 * between undoes it as a whole.
 */
export type Synced = "at once" | "with the next commit";

/**
 * The embedded database's writer keeps the ledger's rows in memory, and those that wait to be written: for what is written beside them it neither
 * writes the one nor forgets the other, which takes as long as hundreds of calls.
 */
export function whenSynced(kind: string): Synced | null {
  if (kind === "write beside at once") return "at once";
  return kind === "write beside" ? "with the next commit" : null;
}
