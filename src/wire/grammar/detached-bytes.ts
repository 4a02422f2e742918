/**
 * Up to this size a copy takes half the time of a view, for which the runtime has to make the underlying buffer an
 * object.
 */
const COPIED_UP_TO_BYTES = 4096;

/**
 * A part of the bytes that arrived: a view where it is most of the memory that a view keeps alive, else a copy. A sender
 * chooses how much of what it sends is kept (the data between a chunk's extensions, say), so what is kept must not keep the
 * rest. The whole buffer is returned itself.
 */
export function detachedPart(bytes: Buffer, start: number, end: number): Buffer {
  const length = end - start;
  if (length === bytes.length) return bytes;
  if (length > COPIED_UP_TO_BYTES && length * 2 >= bytes.buffer.byteLength) return bytes.subarray(start, end);
  return copyOf(bytes, start, end);
}

/** Bytes that are kept for a while: a copy where they are less than half of the memory that they keep alive. */
export function detachedBytes(bytes: Buffer): Buffer {
  return bytes.length * 2 >= bytes.buffer.byteLength ? bytes : copyOf(bytes, 0, bytes.length);
}

/** A copy in memory of its own: `Buffer.from` would take a slice of the shared pool, which is a view again. */
function copyOf(bytes: Buffer, start: number, end: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(end - start);
  bytes.copy(copy, 0, start, end);
  return copy;
}
