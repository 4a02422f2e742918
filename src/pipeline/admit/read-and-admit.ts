import type { ClientRequest } from "../../core/answer/exchange.ts";
import type { Model, ModelKind } from "../../core/catalog/catalog.ts";
import { toGatewayError } from "../../core/errors.ts";
import { isLater, type Later } from "../../core/later.ts";
import type { AdmitResult, SettleOp, SettleResult } from "../../core/ledger/ledger.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import { leastHold } from "../../ledger/books/grant-output.ts";
import type { BilledCall } from "../call/call.ts";
import type { PipelineDeps } from "../call/deps.ts";
import type { BeforeHook } from "../hooks/before-hook.ts";
import { type AskedModel, findModel, requireKind } from "../plan/find-model.ts";
import type { AdmissiblePlan } from "../plan/plan.ts";
import { AdmissionRefused, admitOp } from "./admit.ts";
import { type FoundCached, findCached } from "./find-cached.ts";
import type { RefusalFacts } from "./refusal.ts";

/** How often a key may change during one admission before the gateway gives up. */
const MAX_KEY_READS = 3;

/**
 * How the requests of one endpoint are read and planned. Both functions throw, or reject with, the GatewayError that the
 * client gets.
 */
export interface RequestShape<Asked extends ClientRequest, Plan extends AdmissiblePlan> {
  /** The kind of the models that answer here. */
  readonly kind: ModelKind;
  /** Synchronous where nothing has to be looked up, and the body is not large. Called once. */
  read(call: BilledCall): Later<Asked>;
  /** Plans the request for a model of this kind, and sizes its hold. Called for each key that it is tried with. */
  plan(call: BilledCall, asked: AskedModel<Asked>): Later<Plan>;
}

/** What was found out on the way to an admission, which is known also where it is refused. */
export interface Found<Asked extends ClientRequest> {
  request: Asked | null;
  model: Model | null;
}

/** The ledger's verdict, and its subject. */
export interface Admission<Asked extends ClientRequest, Plan extends AdmissiblePlan> {
  readonly result: Extract<AdmitResult, { outcome: "admitted" | "replay" }>;
  readonly request: Asked;
  readonly plan: Plan;
}

/** The admission of a request that was answered before. */
export interface CachedAdmission<Asked extends ClientRequest> extends Omit<Admission<Asked, AdmissiblePlan>, "plan"> {
  readonly cached: FoundCached;
  /** Null for a replay. */
  readonly settlement: SettleResult | null;
}

/** How a request is admitted, and what is found out on the way. */
export interface Admitting<Asked extends ClientRequest, Plan extends AdmissiblePlan> {
  readonly shape: RequestShape<Asked, Plan>;
  readonly found: Found<Asked>;
  /** The charge of a request that was answered before, which its admission brings along. */
  chargeOf(request: Asked, cached: FoundCached): SettleOp;
}

/**
 * Checks a request, plans it with the key as last read, and asks the ledger to admit it. Nothing is sent to a vendor
 * before this resolves (docs/rulings.md 21, 41). A key that has changed meanwhile is read again, and planned for anew. Throws the
 * refusal that the client gets: an AdmissionRefused where it is the ledger's. `found` is filled in on the way.
 */
export async function readAndAdmit<Asked extends ClientRequest, Plan extends AdmissiblePlan>(
  deps: PipelineDeps,
  call: BilledCall,
  { shape, found, chargeOf }: Admitting<Asked, Plan>,
): Promise<Admission<Asked, Plan> | CachedAdmission<Asked>> {
  let { key } = call;
  const hook = deps.hooks?.before ?? null;
  // Another thread takes a large body over when it is read.
  const copy = hook !== null && call.large_body?.form === null ? new Uint8Array(call.large_body.bytes) : null;
  let request: Asked;
  try {
    const known = call.cache === null || hook !== null ? null : (deps.cache?.recall(call, call.cache) ?? null);
    // The letters are the same, and so is the endpoint.
    const reading = known === null ? shape.read(call) : (known as Asked);
    request = isLater(reading) ? await reading : reading;
  } catch (thrown) {
    // Another key would not make it readable, but one that is no longer accepted gets its 401.
    await changedKey(call, key, thrown);
    throw thrown;
  }
  found.request = request;
  if (hook !== null) {
    request = await askHook(deps, call, shape, { hook, request, copy, found });
    found.request = request;
  }
  for (let key_reads = 1; ; key_reads += 1) {
    try {
      const model = findModel(deps, key, request.model);
      found.model = model;
      requireKind(model, shape.kind);
      const finding = call.cache === null ? null : findCached(deps, call, call.cache, { key, model, request });
      const cached = isLater(finding) ? await finding : finding;
      let plan: AdmissiblePlan;
      let result: AdmitResult;
      if (cached === null) {
        const planned = shape.plan(call, { key, model, request });
        const own = isLater(planned) ? await planned : planned;
        const admission = deps.ledger.admit(admitOp(deps, call, request, own));
        while (!admission.is_decided) await admission.commit_ended;
        result = admission.result();
        if (result.outcome === "admitted" || result.outcome === "replay") return { result, request, plan: own };
        plan = own;
      } else {
        ({ plan } = cached);
        const admit = admitOp(deps, call, request, plan);
        const charge = deps.ledger.charge({ op: "charge", admit, settle: chargeOf(request, cached) });
        while (!charge.is_decided) await charge.commit_ended;
        const charged = charge.result();
        if (charged.outcome === "admitted") return { result: charged, request, cached, settlement: charged.settlement };
        if (charged.outcome === "replay") return { result: charged, request, cached, settlement: null };
        result = charged;
      }
      if (result.outcome !== "stale_key" || key_reads === MAX_KEY_READS)
        throw new AdmissionRefused(result, refusedCall(deps, plan));
      key = await call.reloadKey();
    } catch (thrown) {
      key = await changedKey(call, key, thrown);
    }
  }
}

interface Hooked<Asked extends ClientRequest> {
  readonly hook: BeforeHook;
  readonly request: Asked;
  readonly copy: Uint8Array | null;
  readonly found: Found<Asked>;
}

/**
 * Asks the hook about a request for a model that its key may use. Resolves with the request, or with the one that the hook has put in its place: it is read
 * like a client's, and everything is judged by it (docs/rulings.md 232).
 */
async function askHook<Asked extends ClientRequest, Plan extends AdmissiblePlan>(
  deps: PipelineDeps,
  call: BilledCall,
  shape: RequestShape<Asked, Plan>,
  { hook, request, copy, found }: Hooked<Asked>,
): Promise<Asked> {
  let { key } = call;
  for (let key_reads = 1; ; key_reads += 1) {
    let text: string | null;
    try {
      const model = findModel(deps, key, request.model);
      found.model = model;
      requireKind(model, shape.kind);
      text = await hook.ask({ call, key, request, model: model.id, copy });
    } catch (thrown) {
      key = await changedKey(call, key, thrown);
      if (key_reads === MAX_KEY_READS) throw thrown;
      continue;
    }
    if (text === null) return request;
    (request.remote ?? request.kept)?.release();
    found.request = null;
    call.replaceBody(text);
    return await shape.read(call);
  }
}

function refusedCall(
  { configuration, clock }: PipelineDeps,
  { key, allowance, hold_micro }: AdmissiblePlan,
): RefusalFacts {
  const needed_micro = allowance == null ? hold_micro : leastHold(allowance);
  return { configuration, key, needed_micro, now_ms: clock.now_ms() };
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
