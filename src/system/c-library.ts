import { dlopen, type FFIFunction, type Library } from "bun:ffi";

const NAMES: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: ["libc.so.6", "libc.so", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`],
  darwin: ["libSystem.B.dylib"],
};

/** Functions of the system's C library, for the few things that the runtime has no way to; null where the library is not found. */
export function openCLibrary<const F extends Record<string, FFIFunction>>(functions: F): Library<F> | null {
  for (const name of NAMES[process.platform] ?? []) {
    try {
      return dlopen(name, functions);
    } catch {
      // The next name may be the right one.
    }
  }
  return null;
}
