/** What came from the vendor is no HTTP/1 answer, or one that breaks off. The message says what is wrong with "it". */
export class MalformedAnswer extends Error {
  override readonly name = "MalformedAnswer";
}

const MAX_QUOTED = 60;

/** What was found, for a message: not all of what a vendor may send. */
export function quoted(found: string): string {
  return JSON.stringify(found.length > MAX_QUOTED ? `${found.slice(0, MAX_QUOTED)}…` : found);
}
