import { GatewayError } from "../core/errors.ts";
import type { ClientRequest } from "../core/exchange.ts";
import type { AdmitOp, AdmitRefusal, StoredAnswer } from "../core/ledger.ts";
import { formatAmount } from "../core/money.ts";
import type { Model } from "../core/catalog.ts";
import type { KeyRecord } from "../core/principal.ts";
import type { HoldSize } from "../ledger/hold.ts";
import type { BilledCall } from "./call.ts";
import type { PipelineDeps } from "./deps.ts";

/** How often a key may change under one request's feet before the gateway gives up. */
const MAX_KEY_READS = 3;
/** Longer than any request may run, so that a hold never ends under a request that is alive. */
export const HOLD_TTL_MS = 35 * 60_000;

/** As much of what a request is going to do as its admission depends on. */
export interface AdmissiblePlan extends HoldSize {
  /** The key record that the plan was made with. */
  readonly key: KeyRecord;
  readonly model: Model;
}

export type Admission<Plan extends AdmissiblePlan> =
  | { readonly kind: "admitted"; readonly plan: Plan }
  | { readonly kind: "replay"; readonly answer: StoredAnswer };

/** Plans a request with a key's record. Throws the GatewayError that the client gets where that cannot be done. */
export interface Planner<Asked extends ClientRequest, Plan extends AdmissiblePlan> {
  plan(key: KeyRecord, request: Asked): Plan;
}

/** A request that asks to be let in. */
export interface Applicant<Asked extends ClientRequest, Plan extends AdmissiblePlan> {
  readonly request: Asked;
  /** The key record as last seen. */
  readonly known_key: KeyRecord;
  readonly planner: Planner<Asked, Plan>;
}

/**
 * Admits a request: plans it with the key as last seen and asks the ledger, which checks everything in one transaction,
 * the key's version included. Nothing is sent to a vendor before this resolves (docs/rulings.md 21, 41). Throws the
 * refusal that the client gets.
 */
export async function admit<Asked extends ClientRequest, Plan extends AdmissiblePlan>(
  deps: PipelineDeps,
  call: BilledCall,
  { request, known_key, planner }: Applicant<Asked, Plan>,
): Promise<Admission<Plan>> {
  let key = known_key;
  for (let read = 1; ; read += 1) {
    const plan = planner.plan(key, request);
    const result = await deps.ledger.admit(admitOp(deps, call, request, plan));
    call.notes.decided = result.outcome !== "stale_key";
    if ("rate" in result) call.notes.rate = result.rate;
    if (result.outcome === "admitted") return { kind: "admitted", plan };
    if (result.outcome === "replay") return { kind: "replay", answer: result.answer };
    if (result.outcome !== "stale_key" || read === MAX_KEY_READS) throw refusal(result);
    key = await call.reloadKey();
  }
}

function admitOp(deps: PipelineDeps, call: BilledCall, request: ClientRequest, plan: AdmissiblePlan): AdmitOp {
  const { key } = plan;
  const defaults = deps.configuration.limits.default_key;
  return {
    op: "admit",
    request_id: call.request_id,
    client_request_id: call.client_request_id,
    account_id: key.account_id,
    key_id: key.id,
    key_version: key.version,
    endpoint: call.endpoint,
    stream: request.stream,
    requested_model: request.model,
    model: plan.model.id,
    price: deps.priceAt(plan.model, deps.clock.now_ms()),
    hold_micro: plan.hold_micro,
    bound_tokens: plan.bound_tokens,
    rpm: key.rpm ?? defaults.rpm,
    tpm: key.tpm,
    concurrent: key.concurrent ?? defaults.concurrent,
    budget: key.budget,
    node_id: deps.node_id,
    ttl_ms: HOLD_TTL_MS,
    idempotency: call.idempotency_key === null ? null : { key: call.idempotency_key, fingerprint: fingerprintOf(call) },
  };
}

/** The endpoint belongs to the fingerprint: the same body means something else on another one. */
function fingerprintOf(call: BilledCall): string {
  return new Bun.CryptoHasher("sha256").update(call.endpoint).update("\n").update(call.text).digest("hex");
}

function refusal(result: AdmitRefusal): GatewayError {
  switch (result.outcome) {
    case "stale_key":
      return new GatewayError("model_unavailable", "The key is being changed right now. Try again.", {
        retry_after_ms: 1000,
      });
    case "insufficient_balance":
      return new GatewayError(
        "insufficient_balance",
        `The balance of ${formatAmount(result.balance_micro)} does not cover what this request may cost. Add credit, or ask for less output.`,
      );
    case "budget_exceeded":
      return new GatewayError(
        "insufficient_balance",
        `This key's budget for the ${result.window} has ${formatAmount(result.remaining_micro)} left, which does not cover what this request may cost.`,
      );
    case "rate_limited":
      return new GatewayError("rate_limit_exceeded", `This key is over its limit of ${LIMIT_NAMES[result.limit]}.`, {
        retry_after_ms: result.retry_after_ms,
      });
    case "idempotency_in_progress":
      return new GatewayError("idempotency_in_progress", "A request with this Idempotency-Key is still running.", {
        retry_after_ms: 1000,
      });
    case "idempotency_key_reused":
      return new GatewayError("idempotency_key_reused", REUSED[result.reason]);
  }
}

const LIMIT_NAMES = {
  requests: "requests per minute",
  tokens: "tokens per minute",
  concurrency: "requests in flight",
} as const;

const REUSED = {
  other_body: "This Idempotency-Key was used with another request. Use a new key for a new request.",
  answer_not_kept:
    "The request with this Idempotency-Key was answered, but its answer could not be kept. Use a new key to ask again.",
} as const;
