/** What came is no HTTP/1 message, or one that breaks off. The message says what is wrong with "it". */
export class MalformedMessage extends Error {
  override readonly name = "MalformedMessage";
}

const MAX_QUOTED = 60;

/** What was found, for a message: not all of what somebody may send. */
export function quoted(found: string): string {
  return JSON.stringify(found.length > MAX_QUOTED ? `${found.slice(0, MAX_QUOTED)}…` : found);
}
