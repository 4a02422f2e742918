import type { AnswerSource } from "../../core/answer-stream.ts";
import type { SentBody } from "../../core/exchange.ts";

/** An answer as a route hands it to the connection, which adds the date and the body's framing. */
export interface ServerAnswer {
  readonly status: number;
  /** Header lines as `headerLine` writes them, one after the other. */
  readonly headers: string;
  /** Null for an answer that has none by its status. */
  readonly body: SentBody | AnswerSource | null;
}

/** Whether the body is there as a whole and is not a stream. */
export function isWhole(body: ServerAnswer["body"]): body is SentBody {
  return typeof body === "string" || body instanceof Uint8Array || Array.isArray(body);
}
