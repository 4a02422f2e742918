import { perform } from "../answer.ts";
import { type Ask, BadRequest } from "../ask.ts";
import type { Performance } from "../performance.ts";
import { spokenTokens } from "../sound/sound.ts";
import { countTokens } from "../tokens.ts";

/** Counts a text and its sound; takes no other request than one for speech. */
export function speak(ask: Ask): Performance {
  const { speech, model, prompt } = ask;
  if (speech === undefined)
    throw new BadRequest(`The model '${model.full}' speaks only: use /v1/audio/speech.`, "model");
  const performance = perform(ask, { blocks: [] });
  const usage = {
    ...performance.usage,
    input: model.params.count("input", countTokens(prompt.join(""))),
    output: model.params.count("output", spokenTokens(speech.text)),
  };
  return { ...performance, usage };
}
