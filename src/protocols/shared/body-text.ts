import type { SentBody } from "../../core/exchange.ts";
import { textOfParts } from "./json-members.ts";

const utf8 = new TextDecoder();

/** A body as text. Most bodies are text already. */
export function textOf(body: SentBody): string {
  if (typeof body === "string") return body;
  return body instanceof Uint8Array ? utf8.decode(body) : textOfParts(body);
}
