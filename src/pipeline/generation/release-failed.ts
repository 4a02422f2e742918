import { type GatewayError, toGatewayError } from "../../core/errors.ts";
import type { ClientRequest } from "../../core/exchange.ts";
import type { AdmissiblePlan } from "../admission/admit.ts";
import type { RunningRequest } from "./running-request.ts";

/** Ends the hold of a request that failed, before the client gets the error. Resolves with that error. */
export async function releaseFailed<Plan extends AdmissiblePlan, Asked extends ClientRequest>(
  run: RunningRequest<Plan, Asked>,
  thrown: unknown,
): Promise<GatewayError> {
  const { call, deps } = run;
  const error = toGatewayError(thrown);
  if (error.code === "internal_error")
    deps.log.error({ request_id: call.request_id, err: error.cause ?? error }, error.message);
  await run.release(call.signal.aborted ? null : error.code);
  return error;
}
