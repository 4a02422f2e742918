import { toGatewayError } from "../core/errors.ts";
import type { ClientRequest } from "../core/exchange.ts";
import type { AdmissiblePlan } from "./admit.ts";
import type { RunningRequest } from "./running-request.ts";

/** The work's result; where it fails, the hold is released before the client is told. Throws a GatewayError. */
export async function orRelease<Plan extends AdmissiblePlan, Asked extends ClientRequest, Result>(
  run: RunningRequest<Plan, Asked>,
  work: Promise<Result>,
): Promise<Result> {
  try {
    return await work;
  } catch (thrown) {
    const { call, deps } = run;
    const error = toGatewayError(thrown);
    if (error.code === "internal_error")
      deps.log.error({ request_id: call.request_id, err: error.cause ?? error }, error.message);
    await run.release(call.signal.aborted ? null : error.code);
    throw error;
  }
}
