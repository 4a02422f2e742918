import { toGatewayError } from "../../core/errors.ts";
import type { ClientRequest } from "../../core/exchange.ts";
import type { Later } from "../../core/later.ts";
import type { OutputGrant, StoredAnswer } from "../../core/ledger.ts";
import type { KeyRecord } from "../../core/principal.ts";
import type { BilledCall } from "../call/call.ts";
import type { PipelineDeps } from "../call/deps.ts";
import type { AdmissiblePlan } from "../plan/admissible-plan.ts";
import { admitOp, refusal } from "./admit.ts";

/** How often a key may change during one admission before the gateway gives up. */
const MAX_KEY_READS = 3;

/**
 * How a call's request is read and planned for a key. Both functions throw, or reject with, the GatewayError that the
 * client gets.
 */
export interface RequestPlanner<Asked extends ClientRequest, Plan extends AdmissiblePlan> {
  /** Synchronous where nothing has to be looked up, and the body is not large. Called again only where it has failed. */
  read(): Later<Asked>;
  plan(key: KeyRecord, request: Asked): Later<Plan>;
}

export type Admission<Asked extends ClientRequest, Plan extends AdmissiblePlan> =
  /** `granted` is there where less output was granted than the plan asked for. */
  | { readonly kind: "admitted"; readonly request: Asked; readonly plan: Plan; readonly granted?: OutputGrant }
  | { readonly kind: "replay"; readonly answer: StoredAnswer };

/**
 * Checks a request, plans it with the key as last read, and asks the ledger to admit it. Nothing is sent to a vendor
 * before this resolves (docs/rulings.md 21, 41). A key that has changed meanwhile is read again, and planned for anew. Throws the
 * refusal that the client gets.
 */
export async function readAndAdmit<Asked extends ClientRequest, Plan extends AdmissiblePlan>(
  deps: PipelineDeps,
  call: BilledCall,
  planner: RequestPlanner<Asked, Plan>,
): Promise<Admission<Asked, Plan>> {
  let key = call.key;
  let asked: Asked | null = null;
  for (let key_reads = 1; ; key_reads += 1) {
    try {
      const found: Later<Asked> = asked ?? planner.read();
      const request: Asked = found instanceof Promise ? await found : found;
      asked = request;
      const planned = planner.plan(key, request);
      const plan = planned instanceof Promise ? await planned : planned;
      const admission = deps.ledger.admit(admitOp(deps, call, request, plan));
      while (!admission.is_decided) await admission.commit_ended;
      const result = admission.result();
      call.judged(result);
      if (result.outcome === "admitted") {
        const { granted } = result;
        return granted === undefined
          ? { kind: "admitted", request, plan }
          : { kind: "admitted", request, plan, granted };
      }
      if (result.outcome === "replay") return { kind: "replay", answer: result.answer };
      if (result.outcome !== "stale_key" || key_reads === MAX_KEY_READS) throw refusal(result);
      key = await call.reloadKey();
    } catch (thrown) {
      key = await changedKey(call, key, thrown);
    }
  }
}

/**
 * The key's current record, if a refusal may come from an outdated one: the missing alias may have been added since.
 * Throws the refusal where the key is unchanged, and the 401 where the key is no longer accepted.
 */
async function changedKey(call: BilledCall, known_key: KeyRecord, thrown: unknown): Promise<KeyRecord> {
  const error = toGatewayError(thrown);
  if (call.metadata.decided || error.row.status === 401 || error.row.status >= 500) throw thrown;
  const key = await call.reloadKey();
  if (key.version !== known_key.version) return key;
  throw thrown;
}
