const CHOICES = Buffer.from('"choices"');
const ROLE = Buffer.from('"role"');
/** The member as far as to the next one; with the comma before it where it is the last. */
const FIRST = /^"role"[ \t]*:[ \t]*(?:"assistant"|null)[ \t]*,?[ \t]*/;
const LONGEST_MEMBER = 64;
const COMMA = 44;
const CLOSE_BRACE = 125;
const SPACE = 32;
const TAB = 9;

/**
 * A later chunk without its role, which some vendors repeat in each: openai-python puts those of all deltas one behind the other
 * (docs/rulings.md 202). The other bytes stay.
 */
export function withoutRole(frame: Buffer): Buffer {
  const from = frame.indexOf(CHOICES);
  const at = from === -1 ? -1 : frame.indexOf(ROLE, from);
  if (at === -1) return frame;
  const found = FIRST.exec(frame.toString("latin1", at, at + LONGEST_MEMBER))?.[0];
  if (found === undefined) return frame;
  const end = at + found.length;
  let before = at - 1;
  while (frame[before] === SPACE || frame[before] === TAB) before--;
  const start = frame[end] === CLOSE_BRACE && frame[before] === COMMA ? before : at;
  return Buffer.concat([frame.subarray(0, start), frame.subarray(end)]);
}
