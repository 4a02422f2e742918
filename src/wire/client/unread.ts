import { dlopen, FFIType } from "bun:ffi";

const MSG_PEEK = 2;
/** The flag by which one call does not wait; it differs between the systems. */
const MSG_DONTWAIT = process.platform === "darwin" ? 0x80 : 0x40;

const LIBRARIES: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`],
  darwin: ["libSystem.B.dylib"],
};

/** Returns how many bytes can be read of a socket (1 at most), 0 where the peer has closed it, -1 where there is nothing. */
type Peek = (fd: number) => number;

const peek = openPeek();

/**
 * Whether it can be seen what the system holds of a socket. Where it cannot, no connection carries a second call: its
 * vendor may have sent something in between.
 */
export const canPeek = peek !== null;

/**
 * Whether the system holds bytes of a socket that the event loop has not handed on yet, or the peer has closed it. The
 * loop hands bytes on only between callbacks, so bytes may wait for as long as a callback takes. One system call, half a
 * microsecond.
 */
export function hasUnread(socket: object): boolean {
  // Bun's sockets have their descriptor; its types do not name it.
  const { fd } = socket as { readonly fd?: number };
  return peek === null || fd === undefined || fd < 0 || peek(fd) >= 0;
}

function openPeek(): Peek | null {
  for (const library of LIBRARIES[process.platform] ?? []) {
    try {
      const { symbols } = dlopen(library, {
        recv: { args: [FFIType.i32, FFIType.ptr, FFIType.u64_fast, FFIType.i32], returns: FFIType.i64_fast },
      });
      const room = new Uint8Array(1);
      return (fd) => Number(symbols.recv(fd, room, 1, MSG_PEEK | MSG_DONTWAIT));
    } catch {
      // The next name may be the right one.
    }
  }
  return null;
}
