import { perform, textBlock } from "../answer.ts";
import type { Ask } from "../ask.ts";
import type { Performance } from "../performance.ts";

const MOST_CHARACTERS = 10_000;

/** Repeats the last user message. */
export function echo(ask: Ask): Performance {
  return perform(ask, { blocks: [textBlock(`Simulated answer: ${repeated(ask)}`)] });
}

/** The last user message as an answer repeats it. */
export function repeated(ask: Ask): string {
  return ask.last_user_text === "" ? "(the last message had no text)" : ask.last_user_text.slice(0, MOST_CHARACTERS);
}
