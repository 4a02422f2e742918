import { GatewayError } from "../core/errors.ts";
import type { WholeBody } from "../core/exchange.ts";
import type { StoredAnswer } from "../core/ledger.ts";
import type { OpenedWhole } from "./open-answer.ts";
import type { Answer } from "./call.ts";
import { finalUsage } from "./final-usage.ts";
import type { RunningRequest, Settlement } from "./running-request.ts";
import { keptHeaders } from "./replay.ts";

export const JSON_TYPE = "application/json";

/**
 * Settles an answer that was read whole, then hands it out: the bytes leave after the charge is durable. Where the charge
 * cannot be written the answer is withheld: an error instead, and the ledger books it later.
 */
export async function answerWhole(run: RunningRequest, { candidate, answer }: OpenedWhole): Promise<Answer> {
  const found = finalUsage(run, candidate, answer, true);
  const { usage, estimated } = found instanceof Promise ? await found : found;
  const body = estimated ? (answer.bodyWith?.(usage) ?? answer.body) : answer.body;
  const kept = run.call.idempotency_key === null ? null : keptAnswer(run, body);
  await settleOrWithhold(run, { candidate, usage, estimated, error: null, success: true, answer: kept });
  return { status: 200, content_type: JSON_TYPE, headers: {}, body };
}

function keptAnswer(run: RunningRequest, body: WholeBody): StoredAnswer {
  return { status: 200, content_type: JSON_TYPE, headers: keptHeaders(run), body: Buffer.from(body) };
}

/** Settles; where the charge cannot be written, throws what the client gets in place of the answer. */
export async function settleOrWithhold(run: Pick<RunningRequest, "settle">, settlement: Settlement): Promise<void> {
  try {
    await run.settle(settlement);
  } catch (cause) {
    throw withheld(cause);
  }
}

function withheld(cause: unknown): GatewayError {
  return new GatewayError("internal_error", "The answer could not be recorded, so it is withheld.", { cause });
}
