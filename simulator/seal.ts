import { BadRequest } from "./ask.ts";

/**
 * Opaque reasoning, as vendors sign or encrypt it. A seal has the characters that careless code mangles (`+`, `/`,
 * `=`), and a request with a foreign seal, or with the seal of another text, is refused, as at real vendors.
 */
const MARK = "simulated seal ÿþ?~ ";

/** The seal of a text: base64, with its padding. */
export function sealOf(text: string): string {
  return Buffer.from(MARK + Bun.hash(text).toString(36)).toString("base64");
}

/** A seal from which the text can be read back, as for a compacted conversation. */
export function sealWith(text: string): string {
  return Buffer.from(MARK + text).toString("base64");
}

/** The text in a seal made by `sealWith`; empty for any other value. */
export function sealedText(seal: unknown): string {
  const text = typeof seal === "string" ? Buffer.from(seal, "base64").toString() : "";
  return text.startsWith(MARK) ? text.slice(MARK.length) : "";
}

/** Refuses a seal that does not belong to the text. */
export function checkSeal(seal: unknown, text: string, param: string): void {
  if (seal !== sealOf(text))
    throw new BadRequest(`Invalid signature in '${param}': it is not the one that was given.`, param);
}

/** Whether a simulator made the seal. */
export function isSealMark(seal: unknown): boolean {
  return typeof seal === "string" && Buffer.from(seal, "base64").toString().startsWith(MARK);
}

/** Refuses a seal that no simulator made; for seals whose text is not known. */
export function checkSealMark(seal: unknown, param: string): void {
  if (!isSealMark(seal)) {
    throw new BadRequest(`The encrypted content of '${param}' could not be verified.`, param);
  }
}
