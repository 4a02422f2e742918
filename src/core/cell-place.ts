import { BASE62_ALPHABET } from "./ids.ts";

export const PLACE_LENGTH = 4;

/** The name of an account's cell within the texts of its keys: four characters, which do not disclose the cell's own name (docs/rulings.md 247). */
export function placeOfCell(name: string): string {
  let text = "";
  for (let rest = Bun.hash.crc32(name); text.length < PLACE_LENGTH; rest = Math.floor(rest / BASE62_ALPHABET.length))
    text += BASE62_ALPHABET.charAt(rest % BASE62_ALPHABET.length);
  return text;
}
