import { closeSync, existsSync, openSync, readSync, rmSync, statSync, truncateSync, writeSync } from "node:fs";

/** What is done to a write-ahead log. */
export const DAMAGES = ["remove", "cut", "flip"] as const;

/**
 * Damages SQLite's write-ahead log as a disk or a person would: removes it, cuts its last part off, or flips one byte of it. `part` is
 * where, as a share of its length. Does nothing where there is no log.
 */
export function damageLog(database: string, damage: (typeof DAMAGES)[number], part: number): void {
  const path = `${database}-wal`;
  if (!existsSync(path)) return;
  const bytes = statSync(path).size;
  const at = Math.floor(bytes * part);
  if (bytes === 0) return;
  switch (damage) {
    case "remove":
      return rmSync(path);
    case "cut":
      return truncateSync(path, at);
    case "flip":
      return flip(path, at);
  }
}

function flip(path: string, at: number): void {
  const file = openSync(path, "r+");
  try {
    const byte = new Uint8Array(1);
    readSync(file, byte, 0, 1, at);
    byte[0] = (byte[0] ?? 0) ^ 0xff;
    writeSync(file, byte, 0, 1, at);
  } finally {
    closeSync(file);
  }
}
