import type { ClientHeaders } from "../core/answer/exchange.ts";
import { newId } from "../core/ids.ts";

/** The request ids that a client may choose (docs/rulings.md 8). */
const ACCEPTABLE = /^[A-Za-z0-9._-]{1,128}$/;

export interface RequestIds {
  /** The gateway's id: in receipts, logs and `x-camino-request-id`. */
  readonly own: string;
  /** The client's id, where it sent an acceptable one. */
  readonly client: string | null;
  /** The id that `x-request-id` shows. */
  readonly shown: string;
}

export function requestIdsOf(headers: ClientHeaders): RequestIds {
  const own = newId("req");
  const sent = headers.get("x-request-id");
  const client = sent !== null && ACCEPTABLE.test(sent) ? sent : null;
  return { own, client, shown: client ?? own };
}

/** The headers of every answer: both SDK families read their request id from one of them. */
export function idLines({ own, shown }: RequestIds): string {
  return `x-request-id: ${shown}\r\nrequest-id: ${shown}\r\nx-camino-request-id: ${own}\r\n`;
}
