import type {
  AdmitOp,
  Attempt,
  CountRefusalOp,
  ExtendOp,
  LedgerOp,
  Outcome,
  OutputAllowance,
  ProgressOp,
  SettleOp,
  VoidOp,
} from "../../core/ledger/ledger.ts";
import type { Usage } from "../../core/money/usage.ts";
import { type Passage, rules } from "./pass.ts";
import type { OwnField } from "./request-terms.ts";

/**
 * The operations of the ledger as they are packed (pass.ts). Each field stands here once; what few operations have comes last, because
 * absent values at a row's end are left out. `op` is undefined where an operation is read.
 */

/** What an admission has beside its terms, and these in front of it. */
export function passAdmission<Terms extends object>(
  through: Passage,
  terms: Terms,
  op?: AdmitOp,
): Terms & Pick<AdmitOp, OwnField> {
  return {
    ...terms,
    op: "admit",
    request_id: through.asItIs(op?.request_id),
    hold_micro: through.amount(op?.hold_micro),
    bound_tokens: through.asItIs(op?.bound_tokens),
    client_request_id: through.asItIs(op?.client_request_id),
    idempotency: through.asItIs(op?.idempotency),
    tags: through.asItIs(op && (op.tags ?? null)),
    allowance: passAllowance(through, op && (op.allowance ?? null)),
    tag_rules: rules(through, op && (op.tag_rules ?? null)) ?? null,
  };
}

function passAllowance(through: Passage, allowance: OutputAllowance | null | undefined): OutputAllowance | null {
  const most_tokens = through.asItIs(allowance === null ? null : allowance?.most_tokens);
  if (most_tokens === null) return null;
  return {
    most_tokens,
    least_tokens: through.asItIs(allowance?.least_tokens),
    output_micro_per_mtok: through.asItIs(allowance?.output_micro_per_mtok),
    base_micro: through.amount(allowance?.base_micro),
  };
}

function passSettlement(through: Passage, op?: SettleOp): SettleOp {
  return {
    op: "settle",
    request_id: through.asItIs(op?.request_id),
    model: through.named(op?.model),
    price: through.price(op?.price),
    charge_micro: through.amount(op?.charge_micro),
    estimated: through.asItIs(op?.estimated),
    success: through.asItIs(op?.success),
    outcome: passOutcome(through, op?.outcome),
    usage: passUsage(through, op?.usage),
    // What JSON has not does not pass (pack-op.ts).
    answer: null,
  };
}

function passVoid(through: Passage, op?: VoidOp): VoidOp {
  return {
    op: "void",
    request_id: through.asItIs(op?.request_id),
    operator_loss_micro: through.amount(op?.operator_loss_micro),
    outcome: passOutcome(through, op?.outcome),
  };
}

function passProgress(through: Passage, op?: ProgressOp): ProgressOp {
  return {
    op: "progress",
    request_id: through.asItIs(op?.request_id),
    model: through.named(op?.model),
    price: through.price(op?.price),
    charge_micro: through.amount(op?.charge_micro),
    ttl_ms: through.asItIs(op?.ttl_ms),
    usage: passUsage(through, op?.usage),
  };
}

function passExtension(through: Passage, op?: ExtendOp): ExtendOp {
  return { op: "extend", request_id: through.asItIs(op?.request_id), add_micro: through.amount(op?.add_micro) };
}

function passRefusal(through: Passage, op?: CountRefusalOp): CountRefusalOp {
  return {
    op: "count-refusal",
    account_id: through.asItIs(op?.account_id),
    key_id: through.asItIs(op?.key_id),
    model: through.asItIs(op?.model),
    rpm: through.asItIs(op?.rpm),
  };
}

function passUsage(through: Passage, usage?: Usage): Usage {
  const counts = {
    input_tokens: through.asItIs(usage?.input_tokens),
    cache_read_tokens: through.asItIs(usage?.cache_read_tokens),
    cache_write_tokens: through.asItIs(usage?.cache_write_tokens),
    output_tokens: through.asItIs(usage?.output_tokens),
    reasoning_tokens: through.asItIs(usage?.reasoning_tokens),
  };
  const extra = through.asItIs(usage && (usage.extra ?? null));
  return extra === null ? counts : { ...counts, extra };
}

function passOutcome(through: Passage, outcome?: Outcome): Outcome {
  const told = {
    error: through.asItIs(outcome?.error),
    queue_ms: through.asItIs(outcome?.queue_ms),
    first_byte_ms: through.asItIs(outcome?.first_byte_ms),
    duration_ms: through.asItIs(outcome?.duration_ms),
    attempts: passAttempts(through, outcome?.attempts),
  };
  const answer_digest = through.asItIs(outcome && (outcome.answer_digest ?? null));
  const hook_ms = through.asItIs(outcome && (outcome.hook_ms ?? null));
  const passed = { ...told, ...(answer_digest !== null && { answer_digest }), ...(hook_ms !== null && { hook_ms }) };
  const has_cost = through.asItIs(outcome && (outcome.upstream_cost_micro === undefined ? null : 1));
  if (has_cost === null) return passed;
  return { ...passed, upstream_cost_micro: through.amount(outcome?.upstream_cost_micro) };
}

function passAttempts(through: Passage, attempts?: readonly Attempt[]): Attempt[] {
  const count = through.asItIs(attempts?.length);
  const passed: Attempt[] = [];
  for (let at = 0; at < count; at += 1) passed.push(passAttempt(through, attempts?.[at]));
  return passed;
}

function passAttempt(through: Passage, attempt?: Attempt): Attempt {
  const passed = {
    vendor: through.named(attempt?.vendor),
    upstream_model: through.named(attempt?.upstream_model),
    status: through.asItIs(attempt?.status),
    error: through.asItIs(attempt?.error),
    first_byte_ms: through.asItIs(attempt?.first_byte_ms),
    duration_ms: through.asItIs(attempt?.duration_ms),
  };
  const details = through.asItIs(attempt && detailsOf(attempt));
  return details === null ? passed : { ...passed, ...details };
}

type Details = Pick<
  Attempt,
  "credential" | "why" | "passed_over" | "calls" | "failures" | "started_ms" | "said" | "said_to_operator"
>;

/** What only attempts of the decision engine, attempts that failed or followed one, and those that were chosen among several have. */
function detailsOf({
  credential,
  why,
  passed_over,
  calls,
  failures,
  started_ms,
  said,
  said_to_operator,
}: Attempt): Details | null {
  if ((calls ?? started_ms ?? credential ?? why ?? passed_over) === undefined) return null;
  return {
    ...(credential !== undefined && { credential }),
    ...(why !== undefined && { why }),
    ...(passed_over !== undefined && { passed_over }),
    ...(calls !== undefined && { calls }),
    ...(failures !== undefined && { failures }),
    ...(started_ms !== undefined && { started_ms }),
    ...(said !== undefined && { said }),
    ...(said_to_operator !== undefined && { said_to_operator }),
  };
}

/** Passes an operation that is not an admission. */
export function passOp(through: Passage, kind: Exclude<LedgerOp["op"], "admit">, op?: LedgerOp): LedgerOp {
  switch (kind) {
    case "settle":
      return passSettlement(through, op as SettleOp | undefined);
    case "void":
      return passVoid(through, op as VoidOp | undefined);
    case "extend":
      return passExtension(through, op as ExtendOp | undefined);
    case "progress":
      return passProgress(through, op as ProgressOp | undefined);
    case "count-refusal":
      return passRefusal(through, op as CountRefusalOp | undefined);
  }
}
