/** Bytes that fill their buffer, so that the buffer can be handed to another thread without a copy. */
export function ownedBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) return new Uint8Array(buffer);
  return new Uint8Array(bytes);
}

/** A text's parts as UTF-8, in a buffer of their own. No part ends within a character. */
export function ownedUtf8(parts: readonly string[]): Uint8Array<ArrayBuffer> {
  let length = 0;
  for (const part of parts) length += Buffer.byteLength(part);
  const bytes = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const part of parts) at += bytes.write(part, at);
  return new Uint8Array(bytes.buffer, 0, length);
}
