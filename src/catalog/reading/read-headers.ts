import { isSendable, UNSENDABLE } from "./header-value.ts";
import { report, type YamlPlace } from "./place.ts";
import { readEntries } from "./read-fields.ts";
import { readText } from "./read-scalar.ts";

/** Names of headers whose texts are secrets. */
const CREDENTIAL_HEADER = /auth|cookie|secret|token|passw|credential|(^|[-_])key$|api-?key/i;
const NO_CREDENTIAL = "a header that is not secret: the credential is set separately, and stored encrypted";

/** Reads headers that are sent with each request, by their names in small letters. */
export function readHeaders(place: YamlPlace | null): Record<string, string> {
  const headers: Record<string, string> = {};
  if (place === null) return headers;
  for (const [name, value] of readEntries(place, "a map of header names to texts") ?? []) {
    const text = readText(value, "a header's text");
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) report(value, "a header's name", JSON.stringify(name));
    else if (place.source.layer === "console" && CREDENTIAL_HEADER.test(name))
      report(value, NO_CREDENTIAL, "a header for a credential");
    else if (text !== null && /[\r\n]/.test(text)) report(value, "a header's text, in one line", "a line break");
    else if (text !== null && !isSendable(text)) report(value, "a header's text, in one line", UNSENDABLE);
    else if (text !== null) headers[name.toLowerCase()] = text;
  }
  return headers;
}
