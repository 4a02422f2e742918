import { parseJson } from "../shared/parse-json.ts";

/** The two forms in which vectors are sent: numbers, and the base64 of 32-bit floats (docs/rulings.md 211). */

export type VectorForm = "float" | "base64";

/** The vectors of an answer, and its text without them: in the place of each stands its number. */
export interface CutVectors {
  readonly vectors: readonly string[];
  readonly rest: string;
}

const NUMBERS = /^\[[\d\s.,eE+-]*\]$/;

/**
 * Cuts the vectors out of an answer's text: the values of `member`, each a vector or a list of vectors. They are most of the text: only the
 * rest is parsed, and the vectors go to the client digit by digit, without being parsed. Null where a value is neither.
 */
export function cutVectors(text: string, member: string): CutVectors | null {
  const key = JSON.stringify(member);
  const vectors: string[] = [];
  let rest = "";
  let done = 0;
  for (let at = text.indexOf(key); at !== -1; at = text.indexOf(key, done)) {
    const after_key = at + key.length;
    const start = valueStart(text, after_key);
    rest += text.slice(done, start ?? after_key);
    done = start ?? after_key;
    // The same word as a value: `"object": "embedding"`.
    if (start === null) continue;
    const end = cutValue(text, start, (vector) => vectors.push(vector) - 1);
    if (end === null) return null;
    rest += end.rest;
    done = end.at;
  }
  return { vectors, rest: rest + text.slice(done) };
}

/** Cuts out a value that is a vector or a list of vectors. Returns where it ends, and the text that takes its place. */
function cutValue(text: string, start: number, keep: (vector: string) => number): { at: number; rest: string } | null {
  const inside = skipSpace(text, start + 1);
  const is_list = text[start] === "[" && (text[inside] === "[" || text[inside] === '"');
  if (!is_list) return cutVector(text, start, keep);
  const numbers: string[] = [];
  for (let from = inside; ; ) {
    const cut = cutVector(text, from, keep);
    if (cut === null) return null;
    numbers.push(cut.rest);
    const behind = skipSpace(text, cut.at);
    if (text[behind] === "]") return { at: behind, rest: `[${numbers.join(",")}` };
    if (text[behind] !== ",") return null;
    from = skipSpace(text, behind + 1);
  }
}

function cutVector(text: string, start: number, keep: (vector: string) => number): { at: number; rest: string } | null {
  const closing = text[start] === '"' ? '"' : "]";
  const at = text.indexOf(closing, start + 1) + 1;
  const vector = text.slice(start, at);
  const is_vector = closing === "]" ? NUMBERS.test(vector) : isBase64(vector.slice(1, -1));
  return is_vector ? { at, rest: String(keep(vector)) } : null;
}

/** Where texts are decoded to find out whether they are base64; the result is not read. Vectors larger than any model makes get memory of their own. */
const DECODED = new Uint8Array(128 * 1024);

/** Whether a text is base64: decoding it takes a fraction of the time that a regular expression takes. */
export function isBase64(text: string): boolean {
  if (hasSpace(text)) return false;
  try {
    if (text.length <= DECODED.length) DECODED.setFromBase64(text);
    else Uint8Array.fromBase64(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a text has white space, which decoding ignores, and which a string of JSON may only have escaped. */
function hasSpace(text: string): boolean {
  if (text.includes(" ") || text.includes("\t") || text.includes("\f")) return true;
  return text.includes("\n") || text.includes("\r");
}

/** Where the value of a member begins whose key ends at `key_end`; null where no value follows. */
function valueStart(text: string, key_end: number): number | null {
  const colon = skipSpace(text, key_end);
  return text[colon] === ":" ? skipSpace(text, colon + 1) : null;
}

function skipSpace(text: string, at: number): number {
  while (at < text.length && " \n\r\t".includes(text[at] as string)) at += 1;
  return at;
}

/** A vector's JSON in the form that the client asked for, whatever its vendor sent: clients read one form as the other without noticing. */
export function vectorIn(form: VectorForm, vector: string): string {
  const is_base64 = vector.startsWith('"');
  if (is_base64 === (form === "base64")) return vector;
  return is_base64 ? numbersOf(vector) : base64Of(vector);
}

function base64Of(numbers: string): string {
  const floats = Float32Array.from(parseJson(numbers) as number[]);
  return `"${Buffer.from(floats.buffer).toString("base64")}"`;
}

function numbersOf(base64: string): string {
  const bytes = Buffer.from(base64.slice(1, -1), "base64");
  const count = Math.floor(bytes.length / Float32Array.BYTES_PER_ELEMENT);
  const floats = Array.from({ length: count }, (_, at) => bytes.readFloatLE(at * Float32Array.BYTES_PER_ELEMENT));
  return JSON.stringify(floats);
}
