import { BASE62_ALPHABET, type DrawText } from "../../core/ids.ts";
import type { SubKeys } from "../sub-keys.ts";
import { drawMac } from "./tokens.ts";

/** The largest multiple of 62 in a byte: bytes from here on are left out, so that each character is equally likely. */
const FAIR = 248;

/**
 * Draws texts of base 62 that cannot be foretold without the gateway's secret, and that are equal for equal seeds:
 * a repeated call with the same `Idempotency-Key` gets the id and the secret of the first call, without their being stored.
 */
export function drawFrom(keys: SubKeys, seed: string): DrawText {
  let block = 0;
  let bytes: Buffer = Buffer.alloc(0);
  let at = 0;
  return (length) => {
    let text = "";
    while (text.length < length) {
      if (at === bytes.length) {
        bytes = drawMac(keys, block++, seed);
        at = 0;
      }
      const byte = bytes[at++] ?? FAIR;
      if (byte < FAIR) text += BASE62_ALPHABET.charAt(byte % BASE62_ALPHABET.length);
    }
    return text;
  };
}
