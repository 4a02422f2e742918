import { perform } from "../answer.ts";
import { type Ask, BadRequest } from "../ask.ts";
import { pictureTokens } from "../images/picture.ts";
import type { Performance } from "../performance.ts";
import { countTokens } from "../tokens.ts";

/** Tokens of an image that is edited. */
export const EDITED_TOKENS = 64;

/** Counts a text and its pictures; takes no other request than one for pictures. */
export function draw(ask: Ask): Performance {
  const { pictures, model, prompt } = ask;
  if (pictures === undefined)
    throw new BadRequest(`The model '${model.full}' draws only: use /v1/images/generations.`, "model");
  const performance = perform(ask, { blocks: [] });
  const usage = {
    ...performance.usage,
    input: model.params.count("input", countTokens(prompt.join("")) + EDITED_TOKENS * (pictures.edits?.length ?? 0)),
    output: model.params.count("output", pictureTokens(pictures)),
  };
  return { ...performance, usage };
}
