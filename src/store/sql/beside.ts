/** How a method writes that neither reads nor changes the ledger's rows. The last kind reads them, once the waiting ones are written. */
export type BesideKind = "write beside" | "write beside at once" | "write after the books";

/**
 * When a transaction must be on the disk. One that changes nothing that the books rely on may reach it with the next commit: a power cut in
 * between undoes it as a whole.
 */
export type Synced = "at once" | "with the next commit";

/**
 * When a write beside the books must be on the disk; null for every other kind. Such a write leaves the ledger's rows in the memory of the
 * embedded database's writer as they are: to write the waiting ones and to read all of them again would take as long as hundreds of calls.
 */
export function whenSynced(kind: string): Synced | null {
  if (kind === "write beside at once") return "at once";
  return kind === "write beside" ? "with the next commit" : null;
}
