const USAGE = Buffer.from('"usage"');
const FINGERPRINT = Buffer.from('"system_fingerprint"');
const COMMA = 44;
const COLON = 58;
const SPACE = 32;
const LETTER_N = 110;

/**
 * A chunk without the `"usage": null` that vendors put into every chunk once they are asked for the usage. The gateway
 * always asks for it; a client that did not ask must not see a difference.
 */
export function withoutNullUsage(frame: Buffer): Buffer {
  return withoutNull(frame, USAGE);
}

/** A chunk without `"system_fingerprint": null`: in a chunk some clients take no null for it, as they do in a whole answer. */
export function withoutNullFingerprint(frame: Buffer): Buffer {
  return withoutNull(frame, FINGERPRINT);
}

/** The frame without the first member of this key, if it is null; `key` has its quotes. */
function withoutNull(frame: Buffer, key: Buffer): Buffer {
  const at = frame.indexOf(key);
  if (at === -1) return frame;
  let value = at + key.length;
  while (frame[value] === SPACE || frame[value] === COLON) value++;
  if (value === at + key.length || frame[value] !== LETTER_N) return frame;
  let start = at;
  let end = value + "null".length;
  // The comma before the member goes with it; the first member has one behind it.
  while (frame[start - 1] === SPACE) start--;
  if (frame[start - 1] === COMMA) start--;
  else {
    while (frame[end] === SPACE) end++;
    if (frame[end] === COMMA) end++;
  }
  return Buffer.concat([frame.subarray(0, start), frame.subarray(end)]);
}
