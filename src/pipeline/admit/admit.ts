import type { ClientRequest } from "../../core/answer/exchange.ts";
import { GatewayError } from "../../core/errors.ts";
import type { AdmitOp, AdmitRefusal } from "../../core/ledger/ledger.ts";
import type { AppliedRule } from "../../core/people/limit-rules.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import { rulesOf } from "../../limits/applied-rules.ts";
import { applyTagRules, type GatewayTags, hasTagRules, tagRulesOf } from "../../limits/tag-rules.ts";
import type { BilledCall } from "../call/call.ts";
import type { PipelineDeps } from "../call/deps.ts";
import type { AdmissiblePlan } from "../plan/plan.ts";
import { endUserOf } from "../request/end-user.ts";
import { fingerprintOf, formFingerprint } from "../request/fingerprint.ts";
import { tagMetadata } from "../request/tag-metadata.ts";
import { type RefusalFacts, refusal } from "./refusal.ts";

/** Longer than any request may run, so that no hold expires while its request is running. */
export const HOLD_TTL_MS = 35 * 60_000;

/** The ledger operation that admits a request: one transaction checks everything, the key's version included. */
export function admitOp(deps: PipelineDeps, call: BilledCall, request: ClientRequest, plan: AdmissiblePlan): AdmitOp {
  const { key } = plan;
  const { limits } = deps.configuration;
  const defaults = limits.default_key;
  const tags = call.tagsText(tagMetadata(request.body));
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
    rules: rulesOf(key, plan.model.id, limits),
    node_id: deps.node_id,
    ttl_ms: HOLD_TTL_MS,
    idempotency: call.idempotency_key === null ? null : idempotencyOf(call, call.idempotency_key, request),
    tags,
    tag_rules: hasTagRules(key, limits) ? requiredTagRules(key, limits, tags, request.body) : null,
  };
}

/** The rules of the values of a request's tags. Throws the 400 for one that lacks a required tag (docs/rulings.md 176). */
function requiredTagRules(
  key: KeyRecord,
  gateway: GatewayTags,
  tags: string | null,
  body: ClientRequest["body"],
): readonly AppliedRule[] | null {
  const found = tagRulesOf(key, gateway);
  if (found === null) return null;
  const own = tags === null ? null : (JSON.parse(tags) as Record<string, string>);
  const end_user = found.end_user_tag === null ? null : endUserOf(body);
  const { rules, missing } = applyTagRules(found, { own, of_key: key.tags, end_user });
  if (missing === null) return rules;
  const of_end_user = missing === found.end_user_tag ? ", or the end user as 'safety_identifier' or 'user'" : "";
  throw new GatewayError(
    "missing_tag",
    `The request has no tag '${missing}', which is required here. Send it as the header x-camino-tags: ${missing}=VALUE${of_end_user}.`,
    { param: missing },
  );
}

function idempotencyOf({ endpoint, text, form }: BilledCall, key: string, { fingerprint }: ClientRequest) {
  if (form !== null) return { key, fingerprint: formFingerprint(endpoint, form.parts) };
  return { key, fingerprint: fingerprint ?? fingerprintOf(endpoint, text) };
}

/** A request that the ledger has refused, with the result: from then on the ledger counts it (docs/rulings.md 49). */
export class AdmissionRefused extends GatewayError {
  readonly result: AdmitRefusal;

  constructor(result: AdmitRefusal, call: RefusalFacts) {
    const { code, message, retry_after_ms } = refusal(result, call);
    super(code, message, retry_after_ms === null ? {} : { retry_after_ms });
    this.result = result;
  }
}
