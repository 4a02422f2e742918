const FRAME = 0xfd2fb528;
/** The lowest of the 16 magic numbers of skippable frames. */
const SKIPPABLE = 0x184d2a50;
const DICTIONARY_ID_BYTES = [0, 1, 2, 4] as const;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;
const RLE_BLOCK = 1;
const RESERVED_BLOCK = 3;

/**
 * The fault in the bounds of the frames of zstd data (RFC 8878, 3.1), or null. The runtime's decoder accepts cut
 * data silently, and stops at anything that follows a frame.
 */
export function zstdFault(data: Buffer): string | null {
  let at = 0;
  do {
    if (data.length - at < 8) return at === 0 || isMagic(data, at) ? TOO_EARLY : TRAILING;
    const magic = data.readUInt32LE(at);
    if (magic === FRAME) at = frameEnd(data, at + 4);
    else if (isSkippable(magic)) at += 8 + data.readUInt32LE(at + 4);
    else return at === 0 ? "it does not begin like a frame" : TRAILING;
  } while (at < data.length);
  return at === data.length ? null : TOO_EARLY;
}

const TOO_EARLY = "it ends too early";
const TRAILING = "other data follow its end";

function isMagic(data: Buffer, at: number): boolean {
  if (data.length - at < 4) return false;
  const magic = data.readUInt32LE(at);
  return magic === FRAME || isSkippable(magic);
}

function isSkippable(magic: number): boolean {
  return magic - SKIPPABLE >= 0 && magic - SKIPPABLE < 16;
}

/** The end of the frame whose header begins at `start`; beyond the data where the frame is cut. */
function frameEnd(data: Buffer, start: number): number {
  const descriptor = data[start] ?? 0;
  const is_single_segment = (descriptor & 0x20) !== 0;
  const size_flag = descriptor >> 6;
  const window_bytes = is_single_segment ? 0 : 1;
  const size_bytes = size_flag === 0 && is_single_segment ? 1 : (CONTENT_SIZE_BYTES[size_flag] ?? 0);
  let at = start + 1 + window_bytes + (DICTIONARY_ID_BYTES[descriptor & 3] ?? 0) + size_bytes;
  for (let is_last = false; !is_last; ) {
    if (at + 3 > data.length) return Number.POSITIVE_INFINITY;
    const header = data.readUIntLE(at, 3);
    const type = (header >> 1) & 3;
    // The decoder reports such a block itself.
    if (type === RESERVED_BLOCK) return data.length;
    is_last = (header & 1) === 1;
    at += 3 + (type === RLE_BLOCK ? 1 : header >> 3);
  }
  const has_checksum = (descriptor & 0x04) !== 0;
  return at + (has_checksum ? 4 : 0);
}
