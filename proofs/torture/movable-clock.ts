import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A clock of other processes that can be moved while they run: libfaketime (Debian's package `libfaketime`) answers
 * their questions for the time of day by a file. Clocks that measure durations are left as they are.
 */
export interface MovableClock {
  /** The environment of the processes that go by this clock. */
  readonly env: Record<string, string>;
  /** Moves the clock to so many seconds from the machine's. */
  move(seconds: number): void;
  remove(): void;
}

const PLACES = ["/usr/lib", "/usr/local/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"];
const NAME = "faketime/libfaketimeMT.so.1";

/** The path of libfaketime: the given one, or where packages put it. Null where it is not there. */
export function findFaketime(given: string | undefined): string | null {
  const places = given === undefined ? PLACES.map((place) => join(place, NAME)) : [given];
  return places.find((place) => existsSync(place)) ?? null;
}

export function makeMovableClock(library: string): MovableClock {
  const folder = mkdtempSync(join(tmpdir(), "camino-torture-clock-"));
  const file = join(folder, "offset");
  const move = (seconds: number): void => {
    // A process that reads half a line would be at a time that nobody meant.
    writeFileSync(`${file}.new`, `${seconds < 0 ? "" : "+"}${seconds}\n`, { mode: 0o644 });
    renameSync(`${file}.new`, file);
  };
  move(0);
  Bun.spawnSync(["chmod", "755", folder]);
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      FAKETIME_NO_CACHE: "1",
    },
    move,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
