import { perform } from "../answer.ts";
import { type Ask, BadRequest } from "../ask.ts";
import type { Performance } from "../performance.ts";
import { countTokens } from "../tokens.ts";

/** Counts what is ranked, the query once for each text; takes no other request. */
export function rank(ask: Ask): Performance {
  const { ranking, model } = ask;
  if (ranking === undefined) throw new BadRequest(`The model '${model.full}' ranks only: use /v1/rerank.`, "model");
  const performance = perform(ask, { blocks: [] });
  const query = countTokens(ranking.query);
  const input = ranking.texts.reduce((sum, text) => sum + query + countTokens(text), 0);
  return { ...performance, usage: { ...performance.usage, input: model.params.count("input", input) } };
}
