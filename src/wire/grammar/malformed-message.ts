/** The bytes are not an HTTP/1 message, or break off within it. The error's sentence calls the message "it". */
export class MalformedMessage extends Error {
  override readonly name = "MalformedMessage";
}

const MAX_QUOTED = 60;

/** A quotation of what was found, for an error's sentence: cut, as a sender may send any length. */
export function quoted(found: string): string {
  return JSON.stringify(found.length > MAX_QUOTED ? `${found.slice(0, MAX_QUOTED)}…` : found);
}
