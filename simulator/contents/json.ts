import { perform } from "../answer.ts";
import type { Ask } from "../ask.ts";
import { type Performance, slices } from "../performance.ts";
import { instanceOf } from "../schema-instance.ts";
import { echo, repeated } from "./echo.ts";

const PIECE_LENGTH = 8;

/**
 * Structured output: an instance of the requested schema, any object where the request asks for JSON without a schema,
 * else text.
 */
export function json(ask: Ask): Performance {
  if (ask.format.type === "text") return echo(ask);
  const value =
    ask.format.type === "schema" ? instanceOf(ask.format.schema) : { simulated: true, answer: repeated(ask) };
  return perform(ask, { blocks: [{ type: "text", pieces: slices(JSON.stringify(value), PIECE_LENGTH) }] });
}
