import { BadRequest } from "./ask.ts";

/**
 * Opaque reasoning, as vendors sign or encrypt it. A seal has the characters that careless code mangles (`+`, `/`, `=`),
 * and whoever sends back one that is not ours, or not the text's, is refused, as real vendors do.
 */
const MARK = "simulated seal ÿþ?~ ";

/** The seal of a text: base64, with its padding. */
export function sealOf(text: string): string {
  return Buffer.from(MARK + Bun.hash(text).toString(36)).toString("base64");
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

/** Refuses a seal that no simulator made, where its text is not known. */
export function checkSealMark(seal: unknown, param: string): void {
  if (!isSealMark(seal)) {
    throw new BadRequest(`The encrypted content of '${param}' could not be verified.`, param);
  }
}
