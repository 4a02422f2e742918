import type { Opaque } from "../../core/answer/generation.ts";

const MARK = "camino:";

const FORMS: readonly Opaque["form"][] = ["signature", "encrypted", "redacted"];

/**
 * An opaque value as one string, for a field of a protocol that has no place for its family: a client that replays its
 * answers sends it back unread. The string holds the data byte for byte. A value of the protocol's own family needs no
 * packing.
 */
export function packOpaque({ family, form, id = "", data }: Opaque): string {
  // A vendor may send half of a character in its id, which no request could carry back.
  return `${MARK}${encodeURIComponent(family)}:${form}:${encodeURIComponent(id.toWellFormed())}:${data}`;
}

/** The value that was packed, or null for any other string: that string is a value of the protocol itself. */
export function unpackOpaque(text: string): Opaque | null {
  if (!text.startsWith(MARK)) return null;
  const [, family = "", form, id = ""] = text.split(":", 4);
  const known_form = FORMS.find((one) => one === form);
  if (family === "" || known_form === undefined) return null;
  const data = text.slice(`${MARK}${family}:${form}:${id}:`.length);
  return { family: decode(family), form: known_form, data, ...(id === "" ? {} : { id: decode(id) }) };
}

const UNSIGNED = `${MARK}unsigned:`;

/**
 * Unsigned reasoning as one string: its text, or an empty text where the client also has the text beside the string.
 */
export function packUnsigned(text: string): string {
  return UNSIGNED + Buffer.from(text).toString("base64url");
}

/** The text that was packed, or null for any other string. */
export function unpackUnsigned(packed: string): string | null {
  return packed.startsWith(UNSIGNED) ? Buffer.from(packed.slice(UNSIGNED.length), "base64url").toString() : null;
}

const HIDDEN = `${MARK}hidden:`;

/**
 * A signature together with the text that it signs, for a client that is not shown the text: the vendor requires both
 * in the next request.
 */
export function packHidden(text: string, signature: string): string {
  return `${HIDDEN}${Buffer.from(text).toString("base64url")}:${signature}`;
}

/** The text and the signature that were packed, or null for any other string. */
export function unpackHidden(packed: string): { readonly text: string; readonly signature: string } | null {
  if (!packed.startsWith(HIDDEN)) return null;
  const end = packed.indexOf(":", HIDDEN.length);
  if (end < 0) return null;
  const text = Buffer.from(packed.slice(HIDDEN.length, end), "base64url").toString();
  return { text, signature: packed.slice(end + 1) };
}

/** Whether this gateway made a string, intact or not: such a string has no meaning for a vendor. */
export function isPacked(text: string): boolean {
  return text.startsWith(MARK);
}

/** Whether a JSON text may hold a string that this gateway packed. */
export function mayHoldPacked(json: string): boolean {
  return json.includes(`"${MARK}`);
}

/** Clients may shorten the strings that they keep; a broken escape is then returned unchanged. */
function decode(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
