import { constants } from "node:fs";
import { type FileHandle, mkdir, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { LF } from "../core/ascii.ts";
import { PostError } from "./guarded-client.ts";

const OWNER_AND_GROUP = 0o640;

/** The system's words for what a folder cannot do, without its path. */
const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk's quota is used up",
  EACCES: "the folder may not be written to",
  EPERM: "the folder may not be written to",
  EROFS: "the disk may only be read",
  ENOTDIR: "the path is no folder",
  EEXIST: "the path is no folder",
  EIO: "the disk failed",
};

/**
 * Appends whole lines to a file of a folder, both made where they are missing, and waits until they are on the disk. Where that fails, none of them
 * stays; what a crash left of a line goes before others follow. Rejects with a PostError.
 */
export async function appendLines(folder: string, name: string, lines: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o750 });
    await using file = await open(join(folder, name), constants.O_RDWR | constants.O_CREAT, OWNER_AND_GROUP);
    const { size } = await file.stat();
    const start = await endOfLines(file, size);
    if (start < size) await file.truncate(start);
    try {
      await writeAll(file, Buffer.from(lines), start);
      await file.sync();
    } catch (thrown) {
      // Where not even that can be done, some lines come twice, and the reason is the first one.
      await file.truncate(start).catch(() => undefined);
      throw thrown;
    }
  } catch (thrown) {
    throw diskError(thrown);
  }
}

/** Whether lines can be appended in a folder: writes a file there and takes it away. Rejects with a PostError. */
export async function tryFolder(folder: string): Promise<void> {
  const name = ".camino-test";
  await appendLines(folder, name, "\n");
  await unlink(join(folder, name));
}

/** Where the last whole line ends. */
async function endOfLines(file: FileHandle, size: number): Promise<number> {
  const piece = Buffer.alloc(64 * 1024);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - piece.length);
    const { bytesRead } = await file.read(piece, 0, end - start, start);
    const at = piece.subarray(0, bytesRead).lastIndexOf(LF);
    if (at !== -1) return start + at + 1;
    end = start;
  }
  return 0;
}

async function writeAll(file: FileHandle, bytes: Buffer, start: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, start + at);
    at += bytesWritten;
  }
}

function diskError(thrown: unknown): unknown {
  const code = codeOf(thrown);
  return code === undefined ? thrown : new PostError(WORDS[code] ?? `the disk refused (${code})`);
}

function codeOf(thrown: unknown): string | undefined {
  const { code } = (thrown ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}
