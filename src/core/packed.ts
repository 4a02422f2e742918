/** The default level of zstd compresses to a third, at hundreds of megabytes a second. */
const USUAL_LEVEL = 3;
/** Up to this size compressing takes less time than handing the text to another thread. */
const AT_ONCE = 32 * 1024;
/** The limit for packed bytes: unpacked they may be a thousand times as large. */
const AT_ONCE_PACKED = 4096;

/** A text or bytes, compressed by zstd: in another thread where they are large. */
export async function packed(plain: string | Uint8Array, level = USUAL_LEVEL): Promise<Uint8Array<ArrayBuffer>> {
  const options = { level };
  const at_once = plain.length <= AT_ONCE;
  return new Uint8Array(at_once ? Bun.zstdCompressSync(plain, options) : await Bun.zstdCompress(plain, options));
}

export async function unpacked(bytes: Uint8Array<ArrayBuffer>): Promise<Buffer> {
  return bytes.byteLength <= AT_ONCE_PACKED ? Bun.zstdDecompressSync(bytes) : await Bun.zstdDecompress(bytes);
}
