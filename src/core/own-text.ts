/**
 * A copy of a text of Latin-1 that shares no memory with others. A part of a text keeps the whole text alive, so a name that is
 * remembered for long would keep the head or body in which somebody sent it.
 */
export function ownText(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}
