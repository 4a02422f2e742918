import type { ClientRequest } from "../../core/answer/exchange.ts";
import { toGatewayError } from "../../core/errors.ts";
import type { Later } from "../../core/later.ts";
import type { AdmitResult } from "../../core/ledger/ledger.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import type { BilledCall } from "../call/call.ts";
import type { PipelineDeps } from "../call/deps.ts";
import type { AdmissiblePlan } from "../plan/admissible-plan.ts";
import { AdmissionRefused, admitOp } from "./admit.ts";

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

/** What the ledger said, and of what. */
export interface Admission<Asked extends ClientRequest, Plan extends AdmissiblePlan> {
  readonly result: Extract<AdmitResult, { outcome: "admitted" | "replay" }>;
  readonly request: Asked;
  readonly plan: Plan;
}

/**
 * Checks a request, plans it with the key as last read, and asks the ledger to admit it. Nothing is sent to a vendor
 * before this resolves (docs/rulings.md 21, 41). A key that has changed meanwhile is read again, and planned for anew. Throws the
 * refusal that the client gets: an AdmissionRefused where it is the ledger's.
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
      if (result.outcome === "admitted" || result.outcome === "replay") return { result, request, plan };
      if (result.outcome !== "stale_key" || key_reads === MAX_KEY_READS) throw new AdmissionRefused(result);
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
  if (thrown instanceof AdmissionRefused || error.row.status === 401 || error.row.status >= 500) throw thrown;
  const key = await call.reloadKey();
  if (key.version !== known_key.version) return key;
  throw thrown;
}
