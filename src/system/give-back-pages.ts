import { FFIType } from "bun:ffi";
import { readFileSync } from "node:fs";
import { openCLibrary } from "./c-library.ts";

/** The advice that the pages are not needed now. Those of a file that was only read come back from it when they are touched. */
const MADV_DONTNEED = 4;

/** A part of this process's memory: addresses of its first byte and of the byte behind its last. */
export interface Mapping {
  readonly from: number;
  readonly to: number;
}

const AGAIN_EVERY_MS = 10_000;

/**
 * Gives back the pages of the executable and of its libraries, now and every ten seconds from now on. To parse and to compile takes code that
 * serving does not, first at the start and then until the calls of a day are compiled; a page that is needed comes back from the system's cache when it is
 * touched, with its neighbours. So what is resident is what was used in the last ten seconds: some 15 MB of 90 less right after the start, 20 MB of 155
 * less under load (docs/design/bench.md). Does nothing on a system without `/proc/self/smaps`. Returns the function that ends it; the process does not wait for it.
 */
export function keepGivingBackPages(again_every_ms = AGAIN_EVERY_MS): () => void {
  if (process.platform !== "linux") return () => {};
  const library = openCLibrary({
    madvise: { args: [FFIType.u64_fast, FFIType.u64_fast, FFIType.i32], returns: FFIType.i32 },
  });
  if (library === null) return () => {};
  // Files are mapped once, when the process begins: the list of its mappings is long to read.
  const mappings = cleanMappings(readFileSync("/proc/self/smaps", "latin1"));
  const giveBack = () => {
    for (const { from, to } of mappings) library.symbols.madvise(from, to - from, MADV_DONTNEED);
  };
  giveBack();
  const timer = setInterval(giveBack, again_every_ms);
  timer.unref();
  return () => {
    clearInterval(timer);
    library.close();
  };
}

/**
 * The mappings of files, out of the text of `/proc/self/smaps`, that hold nothing but the file's bytes: they cannot be written, and no
 * page of them was changed before that was so (relocated constants are).
 */
export function cleanMappings(smaps: string): Mapping[] {
  const mappings: Mapping[] = [];
  let mapping: Mapping | null = null;
  for (const line of smaps.split("\n")) {
    const head = /^([0-9a-f]+)-([0-9a-f]+) (\S{4}) \S+ \S+ \S+\s*(.*)$/.exec(line);
    if (head !== null) {
      const [, from = "", to = "", access = "", path = ""] = head;
      const is_readable_file = path.startsWith("/") && access.startsWith("r-");
      mapping = is_readable_file ? { from: Number.parseInt(from, 16), to: Number.parseInt(to, 16) } : null;
    } else if (mapping !== null && /^Anonymous:\s+0 kB$/.test(line)) mappings.push(mapping);
  }
  return mappings;
}
