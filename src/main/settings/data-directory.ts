import { constants } from "node:fs";
import { access, chmod, mkdir, open, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Settings } from "./settings.ts";

/** The gateway's own files: the embedded database, the generated secret and admin token, the demo key. */
export class DataDirectory {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Opens the directory; creates it (readable by its owner alone) when it does not exist. */
  static async open(path: string): Promise<DataDirectory> {
    try {
      await mkdir(path, { recursive: true, mode: 0o700 });
      await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (cause) {
      throw unusable(path, cause);
    }
    return new DataDirectory(path);
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /** The text of a private file; null when the file does not exist. */
  async read(name: string): Promise<string | null> {
    try {
      return (await readFile(this.file(name), "utf8")).trim();
    } catch (thrown) {
      if (thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT") return null;
      throw thrown;
    }
  }

  /**
   * Writes a private file (mode 0600) unless it exists; of two processes that start at once, both use the first one's
   * text.
   */
  async writeOnce(name: string, text: string): Promise<string> {
    try {
      const handle = await open(this.file(name), "wx", 0o600);
      await handle.writeFile(`${text}\n`);
      await handle.sync();
      await handle.close();
      await chmod(this.file(name), 0o600);
      return text;
    } catch (thrown) {
      if (!(thrown instanceof Error && "code" in thrown && thrown.code === "EEXIST")) throw unusable(this.path, thrown);
      return (await this.read(name)) ?? text;
    }
  }

  /** Writes a private file in place of the one that is there. */
  async replace(name: string, text: string): Promise<void> {
    const made = this.file(`.${name}-${process.pid}`);
    await writeFile(made, `${text}\n`, { mode: 0o600 });
    await rename(made, this.file(name));
  }

  /** The text of a private file, which is generated at its first use. */
  async generated(name: string, make: () => string): Promise<string> {
    return (await this.read(name)) ?? (await this.writeOnce(name, make()));
  }
}

const WHY: Readonly<Record<string, string>> = {
  EEXIST: "it is a file",
  ENOTDIR: "a part of its path is a file",
  EACCES: "this user may not read and write it",
  EPERM: "this user may not read and write it",
  EROFS: "its disk is read-only",
  ENOSPC: "its disk is full",
};

function unusable(path: string, cause: unknown): Error {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const why = WHY[code] ?? (cause instanceof Error ? cause.message : String(cause));
  return new Error(`The data directory ${path} cannot be used: ${why}. Name another with --data or CAMINO_DATA.`, {
    cause,
  });
}

/** The embedded database's file in the data directory. */
export const DATABASE_FILE = "camino.db";

/** The database's URL: as configured, otherwise a SQLite file in the data directory. */
export function databaseUrl(settings: Settings, data: DataDirectory): string {
  return settings.database_url ?? `sqlite:${data.file(DATABASE_FILE)}`;
}
