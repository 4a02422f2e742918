import { cachedPrice } from "../../catalog/prices/cached-price.ts";
import type { ClientRequest } from "../../core/answer/exchange.ts";
import { bytesWithCost, COST_MARK } from "../../core/answer/shown-cost.ts";
import { DEFAULT_CACHE } from "../../core/catalog/catalog.ts";
import { GatewayError } from "../../core/errors.ts";
import { type Later, then } from "../../core/later.ts";
import { type Micro, subtract, ZERO } from "../../core/money/money.ts";
import { costOf, type Price } from "../../core/money/price.ts";
import { totalInput } from "../../core/money/usage.ts";
import { quietly } from "../../observe/quietly.ts";
import { formOf, isCacheable, WHOLE } from "../cache/asked-same.ts";
import { CACHE_HEADER, type CacheAsked } from "../cache/cache-asked.ts";
import { bodyWithCost, type CachedAnswer } from "../cache/cached-answer.ts";
import type { BilledCall } from "../call/call.ts";
import type { PipelineDeps } from "../call/deps.ts";
import type { AskedModel } from "../plan/find-model.ts";
import type { AdmissiblePlan } from "../plan/plan.ts";
import { prospectsOf } from "../plan/prospects.ts";

/** What a stored answer costs when it is given again, and its own form with that cost. */
interface Share {
  readonly percent: number;
  /** The answer's share of the price that it had. */
  readonly price: Price;
  readonly charge_micro: Micro;
  /** What it would have cost beyond that. */
  readonly saved_micro: Micro;
  readonly bound_tokens: number;
  /** Null where it is too large to be kept a second time. */
  readonly body: Uint8Array | null;
}

/** A stored answer for a request, in the form that it asks for, with the plan of its admission. */
export interface FoundCached extends Pick<Share, "price" | "charge_micro" | "saved_micro"> {
  readonly answer: CachedAnswer;
  readonly plan: AdmissiblePlan;
  readonly content_type: string;
  /** With its cost, where answers show it. Others are given the same bytes: nobody writes into them. */
  readonly body: Uint8Array;
}

/**
 * The stored answer to the same request of the same account for the same model, if the call asks for it (docs/rulings.md 183). Where there is
 * none, the call learns where its own answer is to be stored. Synchronous where the answer is in memory. Throws the 400 for `on` without a time
 * that the key or its project has.
 */
export function findCached(
  deps: PipelineDeps,
  call: BilledCall,
  asked: CacheAsked,
  { key, model, request }: AskedModel<ClientRequest>,
): Later<FoundCached | null> {
  const { longest_ms } = deps.configuration.cache ?? DEFAULT_CACHE;
  const own_ms = asked.said_ms ?? key.cache_ms ?? key.project?.cache_ms ?? null;
  const age_ms = Math.min(own_ms ?? (asked.refreshes ? longest_ms : noTime(call)), longest_ms);
  const { cache } = deps;
  asked.result = "bypass";
  asked.place = null;
  if (cache === null || !(asked.known?.request === request || isCacheable(request))) return found(deps, asked);
  const shows_cost = deps.configuration.answers?.cost !== "hide";
  const converts = deps.converterOf(request.protocol) !== null;
  const compared = { endpoint: call.endpoint, model: model.id, headers: call.headers, shows_cost, converts };
  const place = cache.placeOf(key.account_id, asked, request, compared);
  asked.place = { ...place, keep_ms: age_ms };
  asked.result = asked.refreshes ? "refresh" : "miss";
  if (asked.refreshes) return found(deps, asked);
  return then(cache.find(place, age_ms), (answer) => {
    const hit = answer === null ? null : hitOf(deps, answer, { key, model, request });
    if (hit === null) {
      cache.missed(key.account_id);
      return found(deps, asked);
    }
    asked.result = "hit";
    asked.place = null;
    deps.metrics.cache_answers.add(1, "hit");
    return hit;
  });
}

function found({ metrics }: PipelineDeps, { result }: CacheAsked): null {
  metrics.cache_answers.add(1, result);
  return null;
}

function noTime({ general_error }: BilledCall): never {
  throw new GatewayError(
    general_error,
    `The header ${CACHE_HEADER} is "on", and neither the key nor its project has a time for the cache; allowed: a time such as 10m.`,
  );
}

/** A stored answer as a request's own, with the hold for exactly its share of the price; null where its form cannot be made of it. */
function hitOf(
  deps: PipelineDeps,
  answer: CachedAnswer,
  { key, model, request }: AskedModel<ClientRequest>,
): FoundCached | null {
  const { charge_percent } = deps.configuration.cache ?? DEFAULT_CACHE;
  const { price, charge_micro, saved_micro, bound_tokens, body } = shareOf(answer, charge_percent);
  const sent =
    answer.form === formOf(request)
      ? { body: body ?? bodyWithCost(answer, charge_micro), content_type: answer.content_type }
      : otherForm(deps, { key, model, request }, answer, charge_micro);
  if (sent === null) return null;
  const size = { allowance: null, held_output_tokens: answer.usage.output_tokens, covers_output: true };
  const plan = { key, model, price, ...size, hold_micro: charge_micro, bound_tokens };
  return { answer, price, charge_micro, saved_micro, plan, ...sent };
}

/** Up to this size an answer is kept with its cost beside itself, for as long as it is in memory. */
const LARGEST_BODY = 16 * 1024;
/** What an answer costs is known by its object: the same one is given again and again. */
const shares = new WeakMap<CachedAnswer, Share>();

function shareOf(answer: CachedAnswer, percent: number): Share {
  const known = shares.get(answer);
  if (known?.percent === percent) return known;
  const { usage } = answer;
  const price = cachedPrice(answer.price, percent);
  const charge_micro = costOf(usage, price);
  const share = {
    ...{ percent, price, charge_micro, bound_tokens: totalInput(usage) },
    saved_micro: charge_micro < answer.charge_micro ? subtract(answer.charge_micro, charge_micro) : ZERO,
    body: answer.body.byteLength > LARGEST_BODY ? null : bodyWithCost(answer, charge_micro),
  };
  shares.set(answer, share);
  return share;
}

/** The stored answer in another form, whole or as a stream; null where that cannot be made of it. */
function otherForm(
  deps: PipelineDeps,
  { model, request }: AskedModel<ClientRequest>,
  { usage, form, body }: CachedAnswer,
  charge_micro: Micro,
): Pick<FoundCached, "body" | "content_type"> | null {
  const converter = deps.converterOf(request.protocol);
  const target = prospectsOf(deps, model, request.protocol).groups[0]?.[0]?.target;
  if (converter === null || target === undefined) return null;
  const cost = deps.configuration.answers?.cost === "hide" ? undefined : COST_MARK;
  const about = { request, target, usage, cost };
  try {
    const whole = form === WHOLE ? body : converter.toWhole(body, about);
    const made = whole === null || !request.stream ? whole : converter.toStream(whole, about);
    if (made === null) return null;
    const content_type = request.stream ? "text/event-stream" : "application/json";
    return { body: bytesWithCost(made, charge_micro), content_type };
  } catch (thrown) {
    quietly(deps.log, () => deps.log.warn({ err: thrown }, "a stored answer could not be given in its other form"));
    return null;
  }
}
