/**
 * Up to this size a copy takes half the time of a view, for which the runtime has to make the underlying buffer an
 * object.
 */
const COPIED_UP_TO_BYTES = 4096;

/** A part of the bytes that arrived: a copy where it is small, else a view. The whole buffer is returned itself. */
export function partOf(bytes: Buffer, start: number, end: number): Buffer {
  const length = end - start;
  if (length === bytes.length) return bytes;
  if (length > COPIED_UP_TO_BYTES) return bytes.subarray(start, end);
  // `Buffer.from` would take a slice of the shared pool, which is a view again.
  const part = Buffer.allocUnsafeSlow(length);
  bytes.copy(part, 0, start, end);
  return part;
}
