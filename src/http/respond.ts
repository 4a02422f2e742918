import type { ErrorStyle } from "../core/endpoints.ts";
import type { GatewayError } from "../core/errors.ts";
import type { RateState } from "../core/ledger.ts";
import { styleAError } from "../protocols/shared/style-a-error.ts";
import { styleBError } from "../protocols/shared/style-b-error.ts";
import { AnswerSheet } from "./answer-sheet.ts";
import { writeRateHeaders } from "./rate-headers.ts";
import type { RequestIds } from "./request-ids.ts";

export const JSON_TYPE = "application/json";

/** The headers that every response has: both SDK families read their request id from one of them. */
export function idHeaders({ own, shown }: RequestIds): Record<string, string> {
  return { "x-request-id": shown, "request-id": shown, "x-camino-request-id": own };
}

/** The headers of an answer that is JSON and has no others. */
export function jsonHeaders(ids: RequestIds): Record<string, string> {
  return { ...idHeaders(ids), "content-type": JSON_TYPE };
}

const sheet = new AnswerSheet();

/** The sheet for the headers of a billed endpoint's answer, with those that all have. It is the same for every answer. */
export function openSheet({ own, shown }: RequestIds, content_type: string): AnswerSheet {
  sheet.begin();
  sheet.set("x-request-id", shown);
  sheet.set("request-id", shown);
  sheet.set("x-camino-request-id", own);
  sheet.set("content-type", content_type);
  return sheet;
}

export interface ErrorContext {
  readonly ids: RequestIds;
  readonly style: ErrorStyle;
  readonly rate: RateState | null;
  /** Whether the endpoint is one of models and requests, where style B's not-found has its own type. */
  readonly style_b_not_found: boolean;
}

/** An error as its style tells it, with the headers that say whether a retry is worth while (docs/rulings.md 8). */
export function errorResponse(error: GatewayError, context: ErrorContext): Response {
  const { ids, style, rate } = context;
  const headers = new Headers(jsonHeaders(ids));
  writeRateHeaders(headers, rate, style);
  const more = { ...retryHeaders(error), ...error.headers };
  for (const [name, value] of Object.entries(more)) headers.set(name, value);
  return new Response(JSON.stringify(errorBody(error, context)), { status: error.row.status, headers });
}

function errorBody(error: GatewayError, { style, ids, style_b_not_found }: ErrorContext): unknown {
  if (style === "a") return styleAError(error);
  const body = styleBError(error, ids.shown);
  if (!style_b_not_found || error.code !== "model_not_found") return body;
  return { ...body, error: { ...body.error, type: "not_found_error" } };
}

function retryHeaders(error: GatewayError): Record<string, string> {
  if (!error.row.retryable) return { "x-should-retry": "false" };
  return { "retry-after": String(Math.max(1, Math.ceil((error.retry_after_ms ?? 1000) / 1000))) };
}
