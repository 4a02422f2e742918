import type { RemoteWhole, WholeBody } from "../../core/exchange.ts";
import { type PlannedCandidate, targetOf } from "./plan.ts";
import type { RunningRequest } from "./running-request.ts";

/**
 * Reads a large answer to a request that is not large, in a body worker: the request is read and prepared there once more,
 * as the answer is read by what was asked for (docs/adr/0027-body-workers.md).
 */
export async function readLargeAnswer(
  run: RunningRequest,
  candidate: PlannedCandidate,
  body: WholeBody,
): Promise<RemoteWhole> {
  const { call, request, deps } = run;
  const remote = await deps.large_bodies.adopt(call.endpoint, request, call.headers);
  run.keepsUntilEnd(remote);
  const exchange = await remote.prepare(targetOf(candidate), request.granted_cap);
  return await exchange.readWhole(body);
}
