import { ERRORS, type ErrorCode } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { RouteRow } from "../routes.ts";
import type { Components } from "./components.ts";
import { ERROR_MEANINGS } from "./error-meanings.ts";
import { EitherStyleError, StyleAError, StyleBError } from "./schemas/errors.ts";

type Style = RouteRow["error_style"];

const SCHEMAS = { a: StyleAError, b: StyleBError, "by-header": EitherStyleError } as const;

/** The error answers of an operation: an answer for each status among its codes, in the endpoint's style. */
export function errorResponses(codes: readonly ErrorCode[], style: Style, components: Components): JsonObject {
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const rows = codes.filter((code) => ERRORS[code].status === status);
      return [String(status), errorResponse(rows, style, components)];
    }),
  );
}

/** The answer for a status: its codes stand in the description for people, and in an extension for programs. */
function errorResponse(codes: readonly ErrorCode[], style: Style, components: Components): JsonObject {
  const first = codes[0] as ErrorCode;
  const retryable = codes.some((code) => ERRORS[code].retryable);
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_MEANINGS[code]}`).join("\n"),
    headers: {
      "x-request-id": { $ref: "#/components/headers/RequestId" },
      ...(retryable ? { "retry-after": { $ref: "#/components/headers/RetryAfter" } } : {}),
    },
    content: {
      "application/json": { schema: components.place(SCHEMAS[style]), example: errorExample(first, style) },
    },
    "x-camino-errors": codes.map((code) => ({
      code,
      type: style === "b" ? ERRORS[code].type_b : ERRORS[code].type_a,
      meaning: ERROR_MEANINGS[code],
      retryable: ERRORS[code].retryable,
    })),
  };
}

function errorExample(code: ErrorCode, style: Style): JsonObject {
  const message = ERROR_MEANINGS[code];
  if (style === "b")
    return { type: "error", error: { type: ERRORS[code].type_b, message }, request_id: "req_2Ld9XqzB7mYw4RkTn6VhsC" };
  return { error: { message, type: ERRORS[code].type_a, param: null, code } };
}
