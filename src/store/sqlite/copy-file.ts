import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";

const CHUNK_BYTES = 4 << 20;

/**
 * Copies an open file to a new one that only its owner may read, and brings the copy to the disk. `onChunk` is called after each
 * chunk and may throw to give up.
 */
export async function copyOpenFile(
  source: FileHandle,
  target: string,
  onChunk: (done_bytes: number, of_bytes: number) => void,
): Promise<number> {
  await using copy = await open(target, "wx", 0o600);
  const { size } = await source.stat();
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let done = 0;
  while (done < size) {
    const { bytesRead } = await source.read(chunk, 0, Math.min(CHUNK_BYTES, size - done), done);
    if (bytesRead === 0) break;
    for (let written = 0; written < bytesRead; ) {
      written += (await copy.write(chunk, written, bytesRead - written, done + written)).bytesWritten;
    }
    done += bytesRead;
    onChunk(done, size);
  }
  await copy.sync();
  return done;
}

/** Brings the names in a file's folder to the disk. */
export async function syncFolderOf(path: string): Promise<void> {
  await using folder = await open(dirname(path), "r");
  await folder.sync();
}
