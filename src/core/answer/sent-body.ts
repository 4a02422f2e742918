import type { AnswerSource } from "./answer-stream.ts";
import type { SentBody, WholeBody } from "./exchange.ts";

/** Whether the body of an answer is complete, not a stream. */
export function isWhole(body: SentBody | AnswerSource | null): body is SentBody {
  return typeof body === "string" || body instanceof Uint8Array || Array.isArray(body);
}

export function bytesOf(body: SentBody): Buffer {
  if (typeof body === "string" || body instanceof Uint8Array) return Buffer.from(body);
  return areTexts(body) ? Buffer.from(body.join("")) : Buffer.concat(body.map((part) => Buffer.from(part)));
}

/** The approximate memory of a body, in bytes. */
export function byteLength(body: SentBody): number {
  if (typeof body === "string") return body.length;
  if (body instanceof Uint8Array) return body.byteLength;
  return body.reduce((sum, part) => sum + part.length, 0);
}

const utf8 = new TextDecoder();

/** A body as text. Most bodies are text already. */
export function textOf(body: SentBody): string {
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return utf8.decode(body);
  return areTexts(body) ? textOfParts(body) : utf8.decode(bytesOf(body));
}

/** Whether the parts of a body are texts, without bytes among them. */
export function areTexts(parts: readonly WholeBody[]): parts is readonly string[] {
  return parts.every((part) => typeof part === "string");
}

/** The parts joined to one text. The runtime copies the characters only when the text is read. */
export function textOfParts(parts: readonly string[]): string {
  let text = "";
  for (const part of parts) text += part;
  return text;
}
