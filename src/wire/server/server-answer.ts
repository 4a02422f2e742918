import type { AnswerSource } from "../../core/answer/answer-stream.ts";
import type { SentBody } from "../../core/answer/exchange.ts";

/** An answer as a route gives it to the connection, which adds the date and the header that delimits the body. */
export interface ServerAnswer {
  readonly status: number;
  /** Header lines in `headerLine`'s format, joined. */
  readonly headers: string;
  /** Null for an answer whose status allows no body. */
  readonly body: SentBody | AnswerSource | null;
}
