import type { ClientHeaders } from "../core/exchange.ts";
import { newId } from "../core/ids.ts";

/** What a client may name its request (docs/rulings.md 8). */
const ACCEPTABLE = /^[A-Za-z0-9._-]{1,128}$/;

export interface RequestIds {
  /** Ours: receipts, logs, `x-camino-request-id`. */
  readonly own: string;
  /** The client's, when it sent an acceptable one. */
  readonly client: string | null;
  /** What `x-request-id` shows. */
  readonly shown: string;
}

export function requestIdsOf(headers: ClientHeaders): RequestIds {
  const own = newId("req");
  const sent = headers.get("x-request-id");
  const client = sent !== null && ACCEPTABLE.test(sent) ? sent : null;
  return { own, client, shown: client ?? own };
}
