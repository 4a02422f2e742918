import { FFIType } from "bun:ffi";
import { openCLibrary } from "../../system/c-library.ts";

const MSG_PEEK = 2;
/** The flag by which one call does not wait; it differs between the systems. */
const MSG_DONTWAIT = process.platform === "darwin" ? 0x80 : 0x40;

/** Returns how many bytes can be read of a socket (1 at most), 0 where the peer has closed it, -1 where there is nothing. */
type Peek = (fd: number) => number;

const peek = openPeek();

/**
 * Whether the unread bytes that the system holds of a socket can be seen. Where they cannot, no connection carries a second call: its
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
  const library = openCLibrary({
    recv: { args: [FFIType.i32, FFIType.ptr, FFIType.u64_fast, FFIType.i32], returns: FFIType.i64_fast },
  });
  if (library === null) return null;
  const { recv } = library.symbols;
  const room = new Uint8Array(1);
  return (fd) => Number(recv(fd, room, 1, MSG_PEEK | MSG_DONTWAIT));
}
