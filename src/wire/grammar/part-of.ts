/** Up to here a copy is made in half the time of a view, for which the runtime has to make the buffer below it an object. */
const COPIED_UP_TO_BYTES = 4096;

/** A part of the bytes that arrived: a small copy or a view, whichever costs less. All of them are themselves. */
export function partOf(bytes: Buffer, start: number, end: number): Buffer {
  const length = end - start;
  if (length === bytes.length) return bytes;
  if (length > COPIED_UP_TO_BYTES) return bytes.subarray(start, end);
  // A slice of the shared pool would be a view again.
  const part = Buffer.allocUnsafeSlow(length);
  bytes.copy(part, 0, start, end);
  return part;
}
