import type { WholeBody } from "../../core/exchange.ts";

const utf8 = new TextDecoder();

/** A vendor's body as text. It mostly is text already. */
export function textOf(body: WholeBody): string {
  return typeof body === "string" ? body : utf8.decode(body);
}
