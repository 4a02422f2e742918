import { perform } from "../answer.ts";
import type { Ask } from "../ask.ts";
import { type Performance, slices } from "../performance.ts";
import { instanceOf } from "../schema-instance.ts";
import { echo, repeated } from "./echo.ts";

const PIECE_LENGTH = 8;

/** Whether an instruction asks for JSON, as for models that have no format for it. */
function asksInWords({ prompt, tools }: Ask): boolean {
  return tools.length === 0 && prompt.some((text) => text.includes("one JSON object"));
}

/**
 * Structured output: an instance of the requested schema, any object where the request asks for JSON without a schema,
 * else text.
 */
export function json(ask: Ask): Performance {
  if (ask.format.type === "text" && !asksInWords(ask)) return echo(ask);
  const value =
    ask.format.type === "schema" ? instanceOf(ask.format.schema) : { simulated: true, answer: repeated(ask) };
  return perform(ask, { blocks: [{ type: "text", pieces: slices(JSON.stringify(value), PIECE_LENGTH) }] });
}
