import { GatewayError } from "../core/errors.ts";
import type { LargeBody } from "../pipeline/large-bodies/large-bodies.ts";
import { addressedBody, type RequestAddress } from "../protocols/gemini/addressed-body.ts";
import type { RequestHead } from "../wire/server/request-head.ts";

/** The name under which streams in the form of an array have their protocol. */
export const ARRAY_STREAM = "streamGenerateContent.array";

/** The name of the form in which a stream is one event after the other; without it a stream is one JSON array. */
const EVENTS = "sse";

/** What the address of a request in Gemini's style says beside its body. Throws a 400 where the model's name cannot be read. */
export function readAddress({ path, query }: Pick<RequestHead, "path" | "query">): RequestAddress {
  const name = path.slice(path.indexOf("/models/") + "/models/".length, path.lastIndexOf(":"));
  const stream = path.slice(path.lastIndexOf(":") + 1).replace(/\/$/, "") === "streamGenerateContent";
  const array = stream && wantsArrayStream(query);
  try {
    const model = decodeURIComponent(name);
    if (!model.includes("\0")) return { model, stream, array };
  } catch {
    // What follows says so.
  }
  throw new GatewayError(
    "invalid_request",
    "The model in the address cannot be read; allowed: its id, percent-encoded.",
  );
}

/** Whether a stream is asked for as one JSON array. */
export function wantsArrayStream(query: string): boolean {
  return new URLSearchParams(query).get("alt") !== EVENTS;
}

export function withAddress(body: string | LargeBody, head: Pick<RequestHead, "path" | "query">): string | LargeBody {
  const address = readAddress(head);
  return typeof body === "string" ? addressedBody(body, address) : { ...body, address };
}

/** Throws a 401 for a key in the address, which ends in the logs of every proxy on the way: it is not read (docs/rulings.md 217). */
export function refuseKeyInQuery({ query }: Pick<RequestHead, "query">): void {
  if (!query.includes("key") || !new URLSearchParams(query).has("key")) return;
  const message =
    "A key was sent in the address, where every proxy on the way logs it: it was not read, and should be replaced. Send the key as `x-goog-api-key: <API_KEY>` or `Authorization: Bearer <API_KEY>`.";
  throw new GatewayError("invalid_api_key", message);
}
