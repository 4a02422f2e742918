import { GatewayError } from "../core/errors.ts";
import type { StoredAnswer } from "../core/ledger.ts";
import type { OpenedWhole } from "./open-answer.ts";
import type { Answer } from "./call.ts";
import { finalUsage } from "./final-usage.ts";
import type { RunningRequest } from "./running-request.ts";
import { keptHeaders } from "./replay.ts";

export const JSON_TYPE = "application/json";

/** Settles an answer that was read whole, then hands it out: the bytes leave after the charge is durable. */
export async function answerWhole(run: RunningRequest, opened: OpenedWhole): Promise<Answer> {
  const { candidate, answer } = opened;
  const final = await finalUsage(run, candidate, answer, true);
  const body = final.estimated ? (answer.bodyWith?.(final.usage) ?? answer.body) : answer.body;
  const kept: StoredAnswer | null =
    run.call.idempotency_key === null
      ? null
      : { status: 200, content_type: JSON_TYPE, headers: keptHeaders(run), body };
  await settleOrFail(() => run.settle({ candidate, ...final, error: null, success: true, answer: kept }));
  return { status: 200, content_type: JSON_TYPE, headers: {}, body };
}

/** An answer whose charge cannot be written is not given out: an error instead, and the ledger books it later. */
export async function settleOrFail(settle: () => Promise<void>): Promise<void> {
  try {
    await settle();
  } catch (thrown) {
    throw withheld(thrown);
  }
}

function withheld(cause: unknown): GatewayError {
  return new GatewayError("internal_error", "The answer could not be recorded, so it is withheld.", { cause });
}
