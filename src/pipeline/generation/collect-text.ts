/** Members whose strings are payloads (base64) rather than text, in the three public styles. */
const PAYLOAD_MEMBERS = new Set(["data", "file_data", "encrypted_content"]);
const DATA_URL = /^data:[\w.+-]+\/[\w.+-]+;base64,/;

/**
 * The text in a request's body as a model would read it: every string value and key, without images and other payloads.
 * A payload is recognised by its place, not by its looks: a text that looks like base64 is still read and billed.
 */
export function collectText(body: string): string {
  const parts: string[] = [];
  collect(JSON.parse(body), parts);
  return parts.join("\n");
}

function collect(value: unknown, parts: string[]): void {
  if (typeof value === "string") {
    if (!DATA_URL.test(value)) parts.push(value);
  } else if (Array.isArray(value)) {
    for (const element of value) collect(element, parts);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      parts.push(key);
      if (!(typeof member === "string" && PAYLOAD_MEMBERS.has(key))) collect(member, parts);
    }
  }
}
