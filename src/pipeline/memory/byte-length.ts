import type { SentBody } from "../../core/exchange.ts";

/** How much memory a body takes, roughly. */
export function byteLength(body: SentBody): number {
  if (typeof body === "string") return body.length;
  if (body instanceof Uint8Array) return body.byteLength;
  return body.reduce((sum, part) => sum + part.length, 0);
}
