import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder for a database; where the machine allows it, a small file system of its own that can be filled. */
export interface SmallDisk {
  readonly path: string;
  /** Whether `fill` is possible: a file system could be mounted, for which one must be root. */
  readonly can_be_filled: boolean;
  fill(): void;
  free(): void;
  remove(): void;
}

const CHUNK = new Uint8Array(1 << 20);

export async function makeSmallDisk(megabytes: number): Promise<SmallDisk> {
  const path = mkdtempSync(join(tmpdir(), "camino-torture-"));
  const mounted =
    Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${megabytes}m`, "camino-torture", path], {
      stderr: "ignore",
    }).exitCode === 0;
  await chmod(path, 0o755);
  const filler = join(path, "filler");
  return {
    path,
    can_be_filled: mounted,
    fill: () => {
      const file = openSync(filler, "w");
      try {
        // Whole megabytes until there is no room, then single bytes of pages until there is none at all.
        for (const size of [CHUNK.length, 4096]) writeUntilFull(file, size);
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(filler, { force: true }),
    remove: () => {
      if (mounted) Bun.spawnSync(["umount", "--lazy", path], { stderr: "ignore" });
      rmSync(path, { recursive: true, force: true });
    },
  };
}

function writeUntilFull(file: number, size: number): void {
  try {
    while (writeSync(file, CHUNK, 0, size) > 0);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "ENOSPC") throw thrown;
  }
}
