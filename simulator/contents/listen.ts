import { perform, textBlock } from "../answer.ts";
import { type Ask, BadRequest } from "../ask.ts";
import type { Performance } from "../performance.ts";
import { heardText, soundTokens } from "../sound/hear.ts";
import { countTokens } from "../tokens.ts";

/** Says how long a recording is; takes no other request than one with a recording. */
export function listen(ask: Ask): Performance {
  const { hearing, model } = ask;
  if (hearing === undefined)
    throw new BadRequest(`The model '${model.full}' listens only: use /v1/audio/transcriptions.`, "model");
  const performance = perform(ask, { blocks: [textBlock(heardText(hearing))] });
  const input = soundTokens(hearing.seconds) + (hearing.prompt === "" ? 0 : countTokens(hearing.prompt));
  return { ...performance, usage: { ...performance.usage, input: model.params.count("input", input) } };
}
