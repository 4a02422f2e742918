import type { BilledEndpoint, ErrorStyle } from "../core/endpoints.ts";
import type { Answer, CallMetadata, WrittenAnswer } from "../pipeline/call.ts";
import { ignoredValue } from "../pipeline/generation/ignored-value.ts";
import { headerLine } from "../wire/grammar/header-line.ts";
import { isWhole } from "../wire/server/server-answer.ts";
import { headerLines, typeLine } from "./answer-lines.ts";
import { rateLines } from "./rate-headers.ts";
import type { RequestIds } from "./request-ids.ts";
import { idLines } from "./respond.ts";

/** Proxies in front of the gateway must not buffer events. */
const STREAM_LINES = "cache-control: no-cache\r\nx-accel-buffering: no\r\n";

/** The parts of a call that stand in the head of its answer. */
export interface AnsweredCall {
  readonly ids: RequestIds;
  readonly metadata: CallMetadata;
  readonly endpoint: BilledEndpoint;
}

/** An answer of a billed endpoint with its head. Throws where a header cannot be sent: nothing is charged by then. */
export function writeAnswer(
  { status, content_type, headers: more, body }: Answer,
  { ids, metadata, endpoint }: AnsweredCall,
  style: ErrorStyle,
): WrittenAnswer {
  let headers = idLines(ids) + typeLine(content_type) + rateLines(metadata.rate, style);
  headers += headerLines(more);
  if (metadata.ignored.length > 0) headers += headerLine("x-camino-ignored", ignoredValue(metadata.ignored));
  if (metadata.capped !== null) headers += headerLine("x-camino-capped", String(metadata.capped));
  // The header in which TypeSafe's clients look for the id.
  if (endpoint === "systemone") headers += headerLine("x-typesafe-request-id", ids.shown);
  if (!isWhole(body)) headers += STREAM_LINES;
  return { status, headers, body };
}
