import type { SentBody } from "./exchange.ts";

/** The bytes of a body, as they are sent. */
export function bytesOf(body: SentBody): Buffer {
  return Buffer.from(typeof body === "string" || body instanceof Uint8Array ? body : body.join(""));
}
