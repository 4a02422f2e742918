import { perform } from "../answer.ts";
import { type Ask, BadRequest } from "../ask.ts";
import type { Performance } from "../performance.ts";

/** Counts what is judged; takes no other request. */
export function moderate(ask: Ask): Performance {
  if (ask.moderation === undefined)
    throw new BadRequest(`The model '${ask.model.full}' gives moderations only: use /v1/moderations.`, "model");
  return perform(ask, { blocks: [] });
}
