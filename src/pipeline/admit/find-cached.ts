import { cachedPrice } from "../../catalog/prices/cached-price.ts";
import type { ClientRequest } from "../../core/answer/exchange.ts";
import { COST_MARK } from "../../core/answer/shown-cost.ts";
import { DEFAULT_CACHE } from "../../core/catalog/catalog.ts";
import { GatewayError } from "../../core/errors.ts";
import { costOf, type Price } from "../../core/money/price.ts";
import { totalInput } from "../../core/money/usage.ts";
import { quietly } from "../../observe/quietly.ts";
import { bodyOf } from "../cache/answer-cache.ts";
import { comparedHead, formOf, isCacheable, WHOLE } from "../cache/asked-same.ts";
import { CACHE_HEADER, type CacheAsked } from "../cache/cache-asked.ts";
import type { CachedAnswer } from "../cache/cached-answer.ts";
import type { BilledCall } from "../call/call.ts";
import type { PipelineDeps } from "../call/deps.ts";
import type { AdmissiblePlan } from "../plan/admissible-plan.ts";
import type { AskedModel } from "../plan/find-model.ts";
import { prospectsOf } from "../plan/prospects.ts";

/** A stored answer for a request, in the form that it asks for, with the plan of its admission. */
export interface FoundCached {
  readonly answer: CachedAnswer;
  /** The answer's share of the price that it had. */
  readonly price: Price;
  readonly plan: AdmissiblePlan;
  readonly content_type: string;
  /** With the mark of the cost, where answers show it. */
  readonly body: Uint8Array;
}

/**
 * The stored answer to the same request of the same account for the same model, if the call asks for it (docs/rulings.md 183). Where there is
 * none, the call learns where its own answer is to be stored. Throws the 400 for `on` without a time that the key or its project has.
 */
export async function findCached(
  deps: PipelineDeps,
  call: BilledCall,
  asked: CacheAsked,
  { key, model, request }: AskedModel<ClientRequest>,
): Promise<FoundCached | null> {
  const { longest_ms } = deps.configuration.cache ?? DEFAULT_CACHE;
  const own_ms = asked.said_ms ?? key.cache_ms ?? key.project?.cache_ms ?? null;
  const age_ms = Math.min(own_ms ?? (asked.refreshes ? longest_ms : noTime(call)), longest_ms);
  const { cache } = deps;
  asked.result = "bypass";
  asked.place = null;
  if (cache === null || !isCacheable(request)) return found(deps, asked);
  const shows_cost = deps.configuration.answers?.cost !== "hide";
  const converts = deps.converterOf(request.protocol) !== null;
  const compared = { endpoint: call.endpoint, model: model.id, headers: call.headers, shows_cost, converts };
  const place = cache.placeOf(key.account_id, comparedHead(request, compared), request);
  asked.place = { ...place, keep_ms: age_ms };
  asked.result = asked.refreshes ? "refresh" : "miss";
  const answer = asked.refreshes ? null : await cache.find(place, age_ms);
  const sent = answer === null ? null : inForm(deps, { key, model, request }, answer);
  if (answer === null || sent === null) {
    if (!asked.refreshes) cache.missed(key.account_id);
    return found(deps, asked);
  }
  asked.result = "hit";
  asked.place = null;
  deps.metrics.cache_answers.add(1, "hit");
  return { answer, ...sent, ...planOf(deps, answer, { key, model, request }) };
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

/** The answer's share of its price, and the hold for exactly that. */
function planOf(deps: PipelineDeps, answer: CachedAnswer, { key, model }: AskedModel<ClientRequest>) {
  const { charge_percent } = deps.configuration.cache ?? DEFAULT_CACHE;
  const { usage } = answer;
  const price = cachedPrice(answer.price, charge_percent);
  const size = { allowance: null, held_output_tokens: usage.output_tokens, covers_output: true };
  const hold = { ...size, hold_micro: costOf(usage, price), bound_tokens: totalInput(usage) };
  return { price, plan: { key, model, price, ...hold } };
}

/** The stored answer as the client wants it, whole or as a stream; null where that cannot be made of it. */
function inForm(
  deps: PipelineDeps,
  { model, request }: AskedModel<ClientRequest>,
  answer: CachedAnswer,
): Pick<FoundCached, "body" | "content_type"> | null {
  const { usage, content_type, form } = answer;
  if (form === formOf(request)) return { body: bodyOf(answer), content_type };
  const converter = deps.converterOf(request.protocol);
  const target = prospectsOf(deps, model, request.protocol).groups[0]?.[0]?.target;
  if (converter === null || target === undefined) return null;
  const cost = deps.configuration.answers?.cost === "hide" ? undefined : COST_MARK;
  const about = { request, target, usage, cost };
  try {
    const whole = form === WHOLE ? answer.body : converter.toWhole(answer.body, about);
    const body = whole === null || !request.stream ? whole : converter.toStream(whole, about);
    return body === null ? null : { body, content_type: request.stream ? "text/event-stream" : "application/json" };
  } catch (thrown) {
    quietly(deps.log, () => deps.log.warn({ err: thrown }, "a stored answer could not be given in its other form"));
    return null;
  }
}
