import type { SentBody } from "./exchange.ts";

/** A body as the bytes that it is sent as. */
export function bytesOf(body: SentBody): Buffer {
  return Buffer.from(typeof body === "string" || body instanceof Uint8Array ? body : body.join(""));
}
