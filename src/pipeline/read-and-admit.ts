import { toGatewayError } from "../core/errors.ts";
import type { ClientRequest } from "../core/exchange.ts";
import type { KeyRecord } from "../core/principal.ts";
import { type Admission, type AdmissiblePlan, admit, type Planner } from "./admit.ts";
import type { BilledCall } from "./call.ts";
import type { PipelineDeps } from "./deps.ts";

/** How a call's request is read and planned. Both throw the GatewayError that the client gets. */
export interface Intake<Asked extends ClientRequest, Plan extends AdmissiblePlan> extends Planner<Asked, Plan> {
  read(): Asked;
}

export interface Admitted<Asked extends ClientRequest, Plan extends AdmissiblePlan> {
  readonly request: Asked;
  readonly admission: Admission<Plan>;
}

/**
 * Checks and admits. A refusal by a remembered key record is only final once the key was read again: it may have been
 * disabled since, or been given the alias that was missing.
 */
export async function readAndAdmit<Asked extends ClientRequest, Plan extends AdmissiblePlan>(
  deps: PipelineDeps,
  call: BilledCall,
  known_key: KeyRecord,
  intake: Intake<Asked, Plan>,
): Promise<Admitted<Asked, Plan>> {
  try {
    const request = intake.read();
    const admission = await admit(deps, call, { request, known_key, planner: intake });
    return { request, admission };
  } catch (thrown) {
    const error = toGatewayError(thrown);
    if (call.notes.decided || error.row.status === 401 || error.row.status >= 500) throw thrown;
    const key = await call.reloadKey();
    if (key.version !== known_key.version) return await readAndAdmit(deps, call, key, intake);
    const { id: key_id, account_id } = key;
    deps.ledger.countRefusal({ op: "count-refusal", account_id, key_id, model: call.notes.model });
    throw thrown;
  }
}
