import { perform } from "../answer.ts";
import type { Ask } from "../ask.ts";
import type { Performance } from "../performance.ts";
import { BYTES_PER_TOKEN } from "../tokens.ts";

const OPENING = "Simulated answer: long. ";
const WORD = "word";
const WITHOUT_CAP = 4096;

/**
 * An answer of as many tokens as `@tokens` asks for, else as the cap allows, else 4,096; `@piece` sets the tokens of a piece. Where
 * the cap is reached, the output has exactly that many tokens and ends with `length`, because more would have followed.
 */
export function long(ask: Ask): Performance {
  const { params } = ask.model;
  const cap = ask.output_cap ?? (params.has("tokens") ? Number.MAX_SAFE_INTEGER : WITHOUT_CAP);
  const tokens = Math.min(params.count("tokens", cap + 1), cap + 1);
  const piece_bytes = Math.max(1, params.count("piece", 1)) * BYTES_PER_TOKEN;
  const pieces = piecesOf(tokens * BYTES_PER_TOKEN, piece_bytes);
  return perform({ ...ask, output_cap: cap }, { blocks: [{ type: "text", pieces }] });
}

/** The opening, then one word over and over; every full piece of words is the same string. */
function piecesOf(bytes: number, piece_bytes: number): string[] {
  const opening = (OPENING + WORD.repeat(piece_bytes)).slice(
    0,
    Math.min(bytes, Math.ceil(OPENING.length / piece_bytes) * piece_bytes),
  );
  const pieces: string[] = [];
  for (let at = 0; at < opening.length; at += piece_bytes) pieces.push(opening.slice(at, at + piece_bytes));
  const filler = WORD.repeat(piece_bytes / BYTES_PER_TOKEN);
  let left = bytes - opening.length;
  for (; left >= piece_bytes; left -= piece_bytes) pieces.push(filler);
  if (left > 0) pieces.push(filler.slice(0, left));
  return pieces;
}
