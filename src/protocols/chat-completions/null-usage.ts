const USAGE = Buffer.from('"usage"');
const COMMA = 44;
const COLON = 58;
const SPACE = 32;
const LETTER_N = 110;

/**
 * A chunk without the `"usage": null` that vendors put into every chunk once they are asked for the usage. The gateway
 * always asks for it; a client that did not ask must not see a difference.
 */
export function withoutNullUsage(frame: Buffer): Buffer {
  const key = frame.indexOf(USAGE);
  if (key === -1) return frame;
  let start = key - 1;
  while (frame[start] === SPACE) start--;
  let value = key + USAGE.length;
  while (frame[value] === SPACE || frame[value] === COLON) value++;
  if (frame[start] !== COMMA || frame[value] !== LETTER_N) return frame;
  const end = value + "null".length;
  const rest = Buffer.allocUnsafe(frame.length - (end - start));
  frame.copy(rest, 0, 0, start);
  frame.copy(rest, start, end);
  return rest;
}
