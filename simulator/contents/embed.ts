import { perform } from "../answer.ts";
import { type Ask, BadRequest } from "../ask.ts";
import type { Performance } from "../performance.ts";
import { countTokens } from "../tokens.ts";

/** Counts the inputs of a request for embeddings, each by itself; takes no other request. */
export function embed(ask: Ask): Performance {
  if (ask.embedding === undefined)
    throw new BadRequest(`The model '${ask.model.full}' gives embeddings only: use /v1/embeddings.`, "model");
  const counts = ask.embedding.inputs.map((input) => (typeof input === "string" ? countTokens(input) : input.length));
  const input = counts.reduce((sum, count) => sum + count, 0);
  const performance = perform(ask, { blocks: [] });
  return { ...performance, usage: { ...performance.usage, input: ask.model.params.count("input", input) } };
}
