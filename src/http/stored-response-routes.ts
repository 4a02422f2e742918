import { GatewayError } from "../core/errors.ts";
import { type ItemQuery, listInputItems } from "../pipeline/memory/list-input-items.ts";
import { LargeRecall, SmallRecall } from "../pipeline/memory/recall-source.ts";
import type { ResponseMemory } from "../pipeline/memory/response-memory.ts";
import { LARGE_BYTES } from "../pipeline/request/sizes.ts";
import type { ServerAnswer } from "../wire/server/server-answer.ts";
import type { EdgeDeps, EdgeRequest, RouteDeps } from "./context.ts";
import { answerReading } from "./reading-route.ts";
import { SlicedBytes } from "./sliced-bytes.ts";

/** Answers requests about stored responses (docs/api.md 4.11), free of charge. */
export function answerStoredResponse(deps: RouteDeps, edge: EdgeRequest): Promise<ServerAnswer> {
  return answerReading(deps, edge, {
    policy: "bearer",
    bodyFor: async (key) => {
      const body = await bodyOf(deps, edge, key.account_id);
      if (body === null) throw notFound(edge.match.parameter);
      if (!isParts(body)) return body instanceof Uint8Array ? body : JSON.stringify(body);
      const length = body.reduce((sum, { byteLength }) => sum + byteLength, 0);
      return length <= LARGE_BYTES ? Buffer.concat(body) : new SlicedBytes(body);
    },
    failure: "db_error",
  });
}

/** A JSON text in parts. */
type Parts = readonly Uint8Array[];

function isParts(body: object): body is Parts {
  return Array.isArray(body);
}

/** Null where the response is unknown or another account's, or where this gateway stores none. */
async function bodyOf(
  deps: EdgeDeps,
  { match, query }: EdgeRequest,
  account_id: string,
): Promise<object | Uint8Array | Parts | null> {
  const { memory } = deps.pipeline;
  const id = match.parameter;
  if (memory === null || id === null) return null;
  switch (match.row.name) {
    case "responses.retrieve":
      refuseStream(query);
      return await memory.find(account_id, id);
    case "responses.delete":
      return (await memory.remove(account_id, id)) ? { id, object: "response", deleted: true } : null;
    default:
      return await itemsOf(deps, memory, { account_id, id, query });
  }
}

async function itemsOf(
  { pipeline: { configuration, large_bodies } }: EdgeDeps,
  memory: ResponseMemory,
  { account_id, id, query }: { readonly account_id: string; readonly id: string; readonly query: string },
): Promise<object | Uint8Array | null> {
  // A conversation that fits into a request's size limit may since have grown by an answer.
  const most_bytes = 2 * configuration.limits.body_bytes;
  const stored = { account_id, id, most_bytes };
  const asked = readItemQuery(query);
  try {
    return await listInputItems(new SmallRecall(memory, LARGE_BYTES), stored, asked);
  } catch (thrown) {
    if (thrown instanceof LargeRecall) return await large_bodies.listInputItems(stored, asked);
    throw thrown;
  }
}

function notFound(id: string | null): GatewayError {
  const name = JSON.stringify((id ?? "").slice(0, 100));
  return new GatewayError(
    "not_found",
    `There is no response ${name} of this account here: it was not stored, was deleted, or has not been used for too long.`,
  );
}

const DEFAULT_LIMIT = 20;
const MOST = 100;

/**
 * Reads the query of a list of items. `include` is accepted and has no effect, as items are stored completely. Throws
 * 400 for unknown values.
 */
function readItemQuery(query: string): ItemQuery {
  const given = new URLSearchParams(query);
  return { limit: readLimit(given.get("limit")), order: readOrder(given.get("order")), after: given.get("after") };
}

/** Throws 400 for a query that asks for a stream: a stream is sent only once, with its request. */
function refuseStream(query: string): void {
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
