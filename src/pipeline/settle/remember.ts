import type { SentBody } from "../../core/answer/exchange.ts";
import { byteLength } from "../../core/answer/sent-body.ts";
import type { RunningRequest } from "../answer/running-request.ts";
import type { PricedCandidate } from "../plan/prospects.ts";
import { LARGE_BYTES } from "../request/sizes.ts";

/** Whether the answer of a request is stored once it is settled: where its client asked for that. */
export function isRemembered({ deps, request }: Pick<RunningRequest, "deps" | "request">): boolean {
  return deps.memory !== null && request.memory?.stores === true;
}

/**
 * Stores a delivered and settled answer, where its client wants it stored (docs/adr/0017). The caller does not wait.
 */
export function remember(
  { deps, plan, request }: RunningRequest,
  { vendor }: Pick<PricedCandidate, "vendor">,
  body: SentBody,
): void {
  const kept = request.memory;
  if (deps.memory === null || kept === undefined || !kept.stores) return;
  const answer = {
    account_id: plan.key.account_id,
    vendor: vendor.id,
    previous_response_id: kept.previous_response_id,
    sent: kept.sent,
    used_keys: kept.used_keys,
    body,
    is_stream: request.stream,
  };
  if (byteLength(body) <= LARGE_BYTES) deps.memory.keep(answer);
  else deps.memory.keepWhenRead(answer, deps.large_bodies.readKept(answer));
}
