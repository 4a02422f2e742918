import type { SentBody } from "../../core/exchange.ts";

/** The approximate memory of a body, in bytes. */
export function byteLength(body: SentBody): number {
  if (typeof body === "string") return body.length;
  if (body instanceof Uint8Array) return body.byteLength;
  return body.reduce((sum, part) => sum + part.length, 0);
}
