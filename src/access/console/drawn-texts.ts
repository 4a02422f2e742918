import { BASE62_ALPHABET, type DrawText } from "../../core/ids.ts";
import type { SubKeys } from "../sub-keys.ts";
import { drawMac } from "./tokens.ts";

/** The largest multiple of 62 in a byte: bytes from here on are left out, so that each character is equally likely. */
const FAIR = 248;

/**
 * Draws texts of base 62 that nobody without the gateway's secret can foretell, and that are the same for the same seed:
 * whoever repeats a call with its `Idempotency-Key` gets the id and the secret of the first call, which nobody stored.
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
