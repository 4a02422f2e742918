import { GatewayError } from "../core/errors.ts";
import type { ItemQuery } from "../pipeline/memory/list-input-items.ts";

const DEFAULT_LIMIT = 20;
const MOST = 100;

/**
 * Reads the query of a list of items. `include` is accepted and has no effect, as items are stored completely. Throws
 * 400 for unknown values.
 */
export function readItemQuery(query: string): ItemQuery {
  const given = new URLSearchParams(query);
  return { limit: readLimit(given.get("limit")), order: readOrder(given.get("order")), after: given.get("after") };
}

/** Throws 400 for a query that asks for a stream: a stream is sent only once, with its request. */
export function refuseStream(query: string): void {
  const given = new URLSearchParams(query);
  const stream = given.get("stream");
  if (stream !== "true" && !given.has("starting_after")) return;
  throw wrong(
    stream === "true" ? "stream" : "starting_after",
    "a stored response is given as a whole, not as a stream",
  );
}

function readLimit(text: string | null): number {
  if (text === null) return DEFAULT_LIMIT;
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MOST) return limit;
  throw wrong("limit", `it is ${JSON.stringify(text.slice(0, 40))}; allowed: a whole number from 1 to ${MOST}`);
}

function readOrder(text: string | null): "asc" | "desc" {
  if (text === null) return "desc";
  if (text === "asc" || text === "desc") return text;
  throw wrong("order", `it is ${JSON.stringify(text.slice(0, 40))}; allowed: asc, desc`);
}

function wrong(param: string, why: string): GatewayError {
  return new GatewayError("unsupported_parameter", `'${param}' cannot be honoured: ${why}.`, { param });
}
