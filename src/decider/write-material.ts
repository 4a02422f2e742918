import type { DecisionImage, DecisionPart, DecisionRequest } from "../core/answer/decision.ts";
import type { ImagePart, TextPart } from "../core/answer/generation.ts";

type Input = DecisionRequest["input"];
/** The beginning of a prompt: the input that is decided about. */
export type Material = readonly (TextPart | ImagePart)[];

/**
 * The input of the decision as the beginning of the prompt: equal for every question and every order, so that a
 * vendor's prefix cache serves all calls but the first. It stands between two lines with a code that does not occur in
 * it, so nothing in it can end it; images keep their places.
 */
export function writeMaterial(input: Input): Material {
  const known = written.get(input);
  if (known !== undefined) return known;
  const material = write(input);
  written.set(input, material);
  return material;
}

/** Written once for all questions of a request; the cache entry ends with the request. */
const written = new WeakMap<Input, Material>();

function write(input: Input): (TextPart | ImagePart)[] {
  const code = codeFor(input);
  const parts: (TextPart | ImagePart)[] = [{ type: "text", text: `BEGIN MATERIAL ${code}\n` }];
  for (const [index, message] of input.entries()) {
    if (index > 0) parts.push({ type: "text", text: `NEXT MESSAGE ${code}\n` });
    for (const part of message) parts.push(writePart(part));
  }
  parts.push({ type: "text", text: `END MATERIAL ${code}\n` });
  return joinTexts(parts);
}

/** Joins adjacent texts, as vendors without images take plain texts only. */
export function joinTexts<Part extends { readonly type: string }>(
  parts: readonly (TextPart | Part)[],
): (TextPart | Part)[] {
  const joined: (TextPart | Part)[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (isText(part) && last !== undefined && isText(last))
      joined.splice(-1, 1, { ...last, text: last.text + part.text });
    else joined.push(part);
  }
  return joined;
}

function isText(part: { readonly type: string }): part is TextPart {
  return part.type === "text";
}

function writePart(part: DecisionPart): TextPart | ImagePart {
  return part.type === "image" ? imagePart(part) : { type: "text", text: `${part.text}\n` };
}

const DATA_URL = /^data:([^;,]+)(?:;[^,;]*)*;base64,/i;

function imagePart({ url, detail }: DecisionImage): ImagePart {
  const [head, media_type] = DATA_URL.exec(url) ?? [];
  const source =
    head === undefined || media_type === undefined
      ? ({ kind: "url", url } as const)
      : ({ kind: "base64", media_type, data: url.slice(head.length) } as const);
  return { type: "image", source, ...(detail !== undefined && { detail }) };
}

/**
 * The code, derived from the material: equal material gives an equal prompt, and its author cannot know the code in
 * advance.
 */
function codeFor(input: Input): string {
  const texts = input.flat().flatMap((part) => (part.type === "image" ? [] : [part.text]));
  let code = hashOf(texts);
  while (texts.some((text) => text.includes(code))) code = hashOf([code]);
  return code;
}

function hashOf(texts: readonly string[]): string {
  const hash = new Bun.CryptoHasher("sha256");
  for (const text of texts) hash.update(`${text.length}:`).update(text);
  return hash.digest("hex").slice(0, 16);
}
