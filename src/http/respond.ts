import type { ErrorStyle } from "../core/endpoints.ts";
import type { GatewayError } from "../core/errors.ts";
import type { RateState } from "../core/ledger/ledger.ts";
import { styleAError, styleBError, styleCError } from "../protocols/shared/error-styles.ts";
import type { ServerAnswer } from "../wire/server/server-answer.ts";
import { headerLines, jsonAnswer } from "./answer-lines.ts";
import { rateLines } from "./rate-headers.ts";
import { idLines, type RequestIds } from "./request-ids.ts";

export interface ErrorContext {
  readonly ids: RequestIds;
  readonly style: ErrorStyle;
  readonly rate: RateState | null;
  /** Whether the endpoint serves models or requests, where style B's not-found has a type of its own. */
  readonly style_b_not_found: boolean;
}

/** An error in its style, with the headers that say whether a retry is worthwhile (docs/rulings.md 8). */
export function errorAnswer(error: GatewayError, context: ErrorContext): ServerAnswer {
  const { ids, style, rate } = context;
  const headers = idLines(ids) + rateLines(rate, style) + headerLines({ ...retryHeaders(error), ...error.headers });
  return jsonAnswer(error.row.status, headers, JSON.stringify(errorBody(error, context)));
}

function errorBody(error: GatewayError, { style, ids, style_b_not_found }: ErrorContext): unknown {
  if (style === "a") return styleAError(error);
  if (style === "c") return styleCError(error);
  const body = styleBError(error, ids.shown);
  if (!style_b_not_found || error.code !== "model_not_found") return body;
  return { ...body, error: { ...body.error, type: "not_found_error" } };
}

function retryHeaders(error: GatewayError): Record<string, string> {
  if (!error.row.retryable) return { "x-should-retry": "false" };
  return { "retry-after": String(Math.max(1, Math.ceil((error.retry_after_ms ?? 1000) / 1000))) };
}
