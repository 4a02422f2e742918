import type { SentBody } from "../../core/exchange.ts";
import type { StoredAnswer } from "../../core/ledger.ts";
import { bytesOf } from "../../core/sent-body.ts";
import type { OpenedWhole } from "./open-answer.ts";
import { isRemembered, remember } from "../memory/remember.ts";
import type { ReadyWhole } from "./answer-admitted.ts";
import type { FinalUsage } from "./final-usage.ts";
import type { RunningRequest } from "./running-request.ts";
import { keptHeaders, MAX_KEPT_BYTES } from "../admission/replay.ts";

export const JSON_TYPE = "application/json";
const NO_HEADERS = {};

/** The body that the client gets: it shows the billed usage where the vendor told none. */
export function shownBody({ answer }: OpenedWhole, { usage, estimated }: FinalUsage): SentBody | Promise<SentBody> {
  return estimated ? (answer.bodyWith?.(usage) ?? answer.body) : answer.body;
}

/** A non-streamed answer with its head, and the settlement that must be durable before its first byte is sent. */
export function readyWhole(
  run: RunningRequest,
  { candidate }: OpenedWhole,
  { usage, estimated, report }: FinalUsage,
  body: SentBody,
): ReadyWhole {
  const { call } = run;
  const kept = call.idempotency_key === null ? null : keptAnswer(run, body);
  return {
    kind: "whole",
    answer: call.write({ status: 200, content_type: JSON_TYPE, headers: NO_HEADERS, body }),
    settlement: {
      candidate,
      usage,
      estimated,
      report,
      error: null,
      success: true,
      answer: kept,
      free_if_withheld: true,
    },
    settled: isRemembered(run) ? () => remember(run, candidate, body) : null,
  };
}

function keptAnswer(run: RunningRequest, body: SentBody): StoredAnswer | null {
  const bytes = bytesOf(body);
  if (bytes.byteLength > MAX_KEPT_BYTES) return null;
  return { status: 200, content_type: JSON_TYPE, headers: keptHeaders(run), body: bytes };
}
