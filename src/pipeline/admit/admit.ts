import type { ClientRequest } from "../../core/answer/exchange.ts";
import { GatewayError } from "../../core/errors.ts";
import type { AdmitOp, AdmitRefusal } from "../../core/ledger/ledger.ts";
import { formatAmount } from "../../core/money/money.ts";
import type { BilledCall } from "../call/call.ts";
import type { PipelineDeps } from "../call/deps.ts";
import type { AdmissiblePlan } from "../plan/admissible-plan.ts";
import { fingerprintOf } from "../request/fingerprint.ts";
import { tagMetadata } from "../request/tag-metadata.ts";

/** Longer than any request may run, so that no hold expires while its request is running. */
export const HOLD_TTL_MS = 35 * 60_000;

/** The ledger operation that admits a request: one transaction checks everything, the key's version included. */
export function admitOp(deps: PipelineDeps, call: BilledCall, request: ClientRequest, plan: AdmissiblePlan): AdmitOp {
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
    price: plan.price,
    hold_micro: plan.hold_micro,
    allowance: plan.allowance,
    bound_tokens: plan.bound_tokens,
    rpm: key.rpm ?? defaults.rpm,
    tpm: key.tpm,
    concurrent: key.concurrent ?? defaults.concurrent,
    budget: key.budget,
    node_id: deps.node_id,
    ttl_ms: HOLD_TTL_MS,
    idempotency: call.idempotency_key === null ? null : idempotencyOf(call, call.idempotency_key, request),
    tags: call.tagsText(tagMetadata(request.body)),
  };
}

function idempotencyOf({ endpoint, text }: BilledCall, key: string, { fingerprint }: ClientRequest) {
  return { key, fingerprint: fingerprint ?? fingerprintOf(endpoint, text) };
}

/** The error for a request that the ledger refuses. */
export function refusal(result: AdmitRefusal): GatewayError {
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
        `This ${result.of ?? "key"}'s budget${result.window === "once" ? "" : ` for the ${result.window}`} has ${formatAmount(result.remaining_micro)} left, which does not cover what this request may cost.`,
      );
    case "rate_limited":
      return new GatewayError(
        "rate_limit_exceeded",
        `This ${result.of ?? "key"} is over its limit of ${LIMIT_NAMES[result.limit]}.${WHY[result.limit]}`,
        { retry_after_ms: result.retry_after_ms },
      );
    case "idempotency_in_progress":
      return new GatewayError("idempotency_in_progress", "A request with this Idempotency-Key is still running.", {
        retry_after_ms: 1000,
      });
    case "idempotency_key_reused":
      return new GatewayError("idempotency_key_reused", REUSED[result.reason]);
  }
}

/** A request that the ledger has refused, with the result: from then on the ledger counts it (docs/rulings.md 49). */
export class AdmissionRefused extends GatewayError {
  readonly result: AdmitRefusal;

  constructor(result: AdmitRefusal) {
    const { code, message, retry_after_ms } = refusal(result);
    super(code, message, retry_after_ms === null ? {} : { retry_after_ms });
    this.result = result;
  }
}

const LIMIT_NAMES = {
  requests: "requests per minute",
  tokens: "tokens per minute",
  concurrency: "requests in flight",
} as const;

/** A client that has closed its stream does not expect that the call goes on (docs/rulings.md 143). */
const WHY = {
  requests: "",
  tokens: "",
  concurrency:
    " A call whose client has left counts until it has ended: its vendor may be read on to the end of its answer.",
} as const;

const REUSED = {
  other_body: "This Idempotency-Key was used with another request. Use a new key for a new request.",
  answer_not_kept:
    "The request with this Idempotency-Key was answered, but its answer could not be kept. Use a new key to ask again.",
} as const;
