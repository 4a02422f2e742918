import type { SentBody } from "../../core/exchange.ts";
import type { StoredAnswer } from "../../core/ledger.ts";
import { bytesOf } from "../../core/sent-body.ts";
import type { OpenedWhole } from "./open-answer.ts";
import type { Answer } from "../call.ts";
import type { FinalUsage } from "./final-usage.ts";
import type { RunningRequest, Settlement } from "./running-request.ts";
import { keptHeaders, MAX_KEPT_BYTES } from "../admission/replay.ts";

export const JSON_TYPE = "application/json";
const NO_HEADERS = {};

/** The body that the client gets: it shows the billed usage where the vendor told none. */
export function shownBody({ answer }: OpenedWhole, { usage, estimated }: FinalUsage): SentBody | Promise<SentBody> {
  return estimated ? (answer.bodyWith?.(usage) ?? answer.body) : answer.body;
}

/** A non-streamed answer, and the settlement that must be durable before its first byte is sent. */
export function wholeAnswer(
  run: RunningRequest,
  { candidate }: OpenedWhole,
  final: FinalUsage,
  body: SentBody,
): { readonly settlement: Settlement; readonly answer: Answer & { readonly body: SentBody } } {
  const kept = run.call.idempotency_key === null ? null : keptAnswer(run, body);
  return {
    settlement: { candidate, ...final, error: null, success: true, answer: kept, free_if_withheld: true },
    answer: { status: 200, content_type: JSON_TYPE, headers: NO_HEADERS, body },
  };
}

function keptAnswer(run: RunningRequest, body: SentBody): StoredAnswer | null {
  const bytes = bytesOf(body);
  if (bytes.byteLength > MAX_KEPT_BYTES) return null;
  return { status: 200, content_type: JSON_TYPE, headers: keptHeaders(run), body: bytes };
}
