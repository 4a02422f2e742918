import type { SentBody } from "../../core/answer/exchange.ts";
import { byteLength, textOf } from "../../core/answer/sent-body.ts";
import type { BilledEndpoint } from "../../core/endpoints.ts";
import { isObject } from "../../core/json.ts";
import { findMembers, memberText } from "../../protocols/shared/json-members.ts";

/** The member in which answers have an id of their own; the others have none. */
const ID_MEMBERS: Partial<Record<BilledEndpoint, "id" | "responseId">> = {
  "chat.completions": "id",
  completions: "id",
  responses: "id",
  "responses.compact": "id",
  messages: "id",
  generateContent: "responseId",
  moderations: "id",
  rerank: "id",
};

const FIRST = /^\s*\{\s*"(id|responseId)"\s*:\s*"([^"\\]{1,256})"/;
const MOST_BYTES = 512 * 1024;

/** The id in a whole answer's body, which is JSON; null where it has none, and where a body above 512 KiB does not begin with it (docs/rulings.md 230). */
export function answerIdOf(endpoint: BilledEndpoint, body: SentBody): string | null {
  const name = ID_MEMBERS[endpoint];
  if (name === undefined) return null;
  // Nearly all begin with it, so that nothing else is read.
  const first = FIRST.exec(headOf(body));
  if (first?.[1] === name) return first[2] ?? null;
  if (byteLength(body) > MOST_BYTES) return null;
  const text = textOf(body);
  const value = memberText(text, findMembers(text), name);
  const id: unknown = value === null ? null : JSON.parse(value);
  return typeof id === "string" ? id : null;
}

function headOf(body: SentBody): string {
  const head = typeof body === "string" || body instanceof Uint8Array ? body : (body[0] ?? "");
  return textOf(head.slice(0, HEAD_BYTES));
}

/** How much of a stream's beginning is looked at: its first events, or the head and the end of a long one. */
const HEAD_BYTES = 4096;
const TAIL_BYTES = 512;
const DATA = /(?:^|\n)data: ?([^\r\n]*)([\r\n])?/;
const IN_RESPONSE = /"response"\s*:\s*\{\s*"id"\s*:\s*"([^"\\]{1,256})"/;
const IN_OBJECT = /"responseId"\s*:\s*"([^"\\]{1,256})"/;
const LAST_IN_OBJECT = new RegExp(IN_OBJECT, "g");

/**
 * The id in the first piece of a stream: of the chunk, of the message or response that the first event begins, or of Gemini's object. Throws
 * where the first event is no JSON.
 */
export function streamIdOf(endpoint: BilledEndpoint, first: Uint8Array): string | null {
  const name = ID_MEMBERS[endpoint];
  if (name === undefined) return null;
  const bytes = Buffer.from(first.buffer, first.byteOffset, first.byteLength);
  // Every object of Gemini's ends with it.
  if (name === "responseId") {
    const ends = [...bytes.toString("utf8", Math.max(0, bytes.length - TAIL_BYTES)).matchAll(LAST_IN_OBJECT)];
    return ends.at(-1)?.[1] ?? IN_OBJECT.exec(bytes.toString("utf8", 0, HEAD_BYTES))?.[1] ?? null;
  }
  const [, line = "", end] = DATA.exec(bytes.toString("utf8", 0, HEAD_BYTES)) ?? [];
  if (line === "") return null;
  if (end === undefined) return (FIRST.exec(line)?.[2] ?? IN_RESPONSE.exec(line)?.[1]) || null;
  const event: unknown = JSON.parse(line);
  if (!isObject(event)) return null;
  const holder = [event, event.message, event.response].find((each) => isObject(each) && typeof each.id === "string");
  return isObject(holder) && typeof holder.id === "string" ? holder.id : null;
}
