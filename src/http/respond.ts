import type { ClientHeaders } from "../core/answer/exchange.ts";
import type { ErrorStyle } from "../core/endpoints.ts";
import type { GatewayError } from "../core/errors.ts";
import type { RateState } from "../core/ledger/ledger.ts";
import { styleAError, styleBError, styleCError } from "../protocols/shared/error-styles.ts";
import type { ServerAnswer } from "../wire/server/server-answer.ts";
import { headerLines, jsonAnswer } from "./answer-lines.ts";
import { rateLines } from "./rate-headers.ts";
import { idLines, type RequestIds, requestIdsOf } from "./request-ids.ts";

export interface ErrorContext {
  readonly ids: RequestIds;
  readonly style: ErrorStyle;
  readonly rate: RateState | null;
  /** Whether the endpoint serves models, where style B's not-found has a type of its own. */
  readonly style_b_not_found?: boolean;
}

const NO_HEADERS: ClientHeaders = { get: () => null };

/** The refusal of a request that reached no route. `headers`: its own, where they could be read. */
export function refusalOf(error: GatewayError, headers = NO_HEADERS, style: ErrorStyle = "a"): ServerAnswer {
  return errorAnswer(error, { ids: requestIdsOf(headers), style, rate: null });
}

/** An error in its style, with the headers that say whether a retry is worthwhile (docs/rulings.md 8). */
export function errorAnswer(error: GatewayError, context: ErrorContext): ServerAnswer {
  const { ids, style, rate } = context;
  const headers = idLines(ids) + rateLines(rate, style) + headerLines({ ...retryHeaders(error), ...error.headers });
  return jsonAnswer(error.row.status, headers, JSON.stringify(errorBody(error, context)));
}

function errorBody(error: GatewayError, { style, ids, style_b_not_found = false }: ErrorContext): unknown {
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
