import type { DecisionAnswer, DecisionClientRequest } from "../../core/answer/decision.ts";
import type { Model } from "../../core/catalog/catalog.ts";
import type { DecideWith } from "../../core/catalog/decide-with.ts";
import { GatewayError } from "../../core/errors.ts";
import { type Later, then } from "../../core/later.ts";
import type { Price } from "../../core/money/price.ts";
import type { Usage } from "../../core/money/usage.ts";
import { callsFor } from "../../decider/decide-question.ts";
import type { EngineSettings } from "../../decider/question-calls.ts";
import { type HoldRoute, holdFor } from "../../ledger/hold.ts";
import { probableQuestions } from "../../protocols/shared/decision-questions.ts";
import { type RouteGroup, routeGroupsOf } from "../../routing/candidates.ts";
import type { RunningRequest } from "../answer/running-request.ts";
import type { BilledCall } from "../call/call.ts";
import type { PipelineDeps } from "../call/deps.ts";
import type { AskedModel } from "../plan/find-model.ts";
import { CandidateOrder } from "../plan/order-candidates.ts";
import type { AdmissiblePlan } from "../plan/plan.ts";
import { endpointsFor } from "../plan/prospects.ts";
import { hasImages } from "../request/decision-input.ts";
import { boundOfCalls, chargedCalls } from "./billed-texts.ts";
import { type DecisionExchange, prepareDecision } from "./decision-exchange.ts";
import type { DecisionSource, EngineCandidate, NativeCandidate, NativeSource } from "./decision-source.ts";

/** How many alternatives of a token a vendor shows, where the catalogue does not say. */
const USUAL_TOP_LOGPROBS = 20;

/** The engine's settings. It asks in one way for all vendors of the model, so it uses what all of them support. */
function engineSettings(decide_with: DecideWith, candidates: readonly EngineCandidate[]): EngineSettings {
  const { debias, min_label_mass, calibration } = decide_with;
  const top_logprobs = Math.min(...candidates.map(topLogprobs));
  const constraints = new Set(candidates.map(({ vendor }) => vendor.quirks.constrained_choice ?? null));
  const [constrain = null] = constraints.size === 1 ? constraints : [];
  return { debias, min_label_mass, calibration, top_logprobs, constrain };
}

function topLogprobs({ vendor }: EngineCandidate): number {
  return vendor.quirks.top_logprobs ?? USUAL_TOP_LOGPROBS;
}

/** The plan of a decision request, made before anything is held or sent. */
export interface DecisionPlan extends AdmissiblePlan {
  /** The model and its fallbacks, in the order in which they are tried. Never empty. */
  readonly sources: readonly DecisionSource[];
  /**
   * The exchange with the first native candidate: prepared early, so that an unsupported request is refused before the
   * hold.
   */
  readonly first_exchange: DecisionExchange | null;
}

export type RunningDecision = RunningRequest<DecisionPlan, DecisionClientRequest>;

/** The answers of one source to every question. */
export interface DecidedAnswers {
  readonly kind: "decided";
  readonly source: Pick<DecisionSource, "model" | "price">;
  readonly answers: readonly DecisionAnswer[];
  /** The billed usage: input alone (docs/api.md 8). */
  readonly usage: Usage;
  /** Whether the count is an estimate because the vendor owed one and sent none. */
  readonly estimated: boolean;
  /** Headers that report how the answers were made. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Plans a request for its model. Throws the GatewayError that the client gets when it is not possible. */
export function planDecision(
  deps: PipelineDeps,
  call: BilledCall,
  { key, model, request }: AskedModel<DecisionClientRequest>,
): Later<DecisionPlan> {
  const has_images = hasImages(request.decision);
  if (has_images && !takesImages(model)) throw textOnly(model.id, request);

  const order = new CandidateOrder(deps, call, request);
  const planned = planSources(deps, request, { model, has_images, order });
  const { decision_calls } = deps.configuration.limits;
  const [first] = planned;
  if (first === undefined) throw unreachable(model.id);
  if (callsOf(first) > decision_calls) throw tooManyCalls(callsOf(first), decision_calls);
  // A fallback that needs more is no way to answer this request.
  const sources = planned.filter((source) => callsOf(source) <= decision_calls);
  // A decision has no output that is priced: nothing of it could be capped, or seen to grow.
  const routes = sources.map((source) => routeOf(source, request));
  const hold = holdFor(request, { is_seen: false, takes_cap: true, model, routes });
  const price = deps.priceAt(model, deps.clock.now_ms());
  const plan = { key, model, price, sources, order, first_exchange: null, ...hold };
  const exchange: Later<DecisionExchange | null> = first.kind === "native" ? firstExchange(call, request, first) : null;
  return then(exchange, (first_exchange) => ({ ...plan, first_exchange }));
}

function planSources(
  deps: PipelineDeps,
  request: DecisionClientRequest,
  { model, has_images, order }: { readonly model: Model; readonly has_images: boolean; readonly order: CandidateOrder },
): DecisionSource[] {
  const { models } = deps.configuration;
  const fallbacks = model.fallbacks.map((id) => models.get(id)).filter((found) => found !== undefined);
  const is_foreign = request.decision.questions.some(({ only }) => only !== undefined);
  const able = fallbacks.filter(
    (fallback) =>
      fallback.kind === "decision" &&
      (!has_images || takesImages(fallback)) &&
      !(is_foreign && fallback.decide_with !== undefined),
  );
  return [model, ...able]
    .map((each, index) => planSource({ deps, request, order, is_fallback: index > 0 }, each))
    .filter(({ candidates }) => candidates.length > 0);
}

interface SourceContext {
  readonly deps: PipelineDeps;
  readonly request: DecisionClientRequest;
  readonly order: CandidateOrder;
  readonly is_fallback: boolean;
}

function planSource(context: SourceContext, model: Model): DecisionSource {
  const { deps, request } = context;
  const price = deps.priceAt(model, deps.clock.now_ms());
  const { decide_with } = model;
  if (decide_with === undefined)
    return { kind: "native", model, price, candidates: nativeCandidates(context, model, price) };
  const candidates = engineCandidates(context, decide_with);
  const settings = engineSettings(decide_with, candidates);
  const questions = probableQuestions(request.decision.questions);
  const calls = questions.map((question) => callsFor(question, settings));
  return { kind: "engine", model, price, candidates, settings, questions, calls };
}

/** How many calls our engine makes for a request; 0 where a vendor decides. */
function callsOf(source: DecisionSource): number {
  return source.kind === "native" ? 0 : source.calls.reduce((sum, { calls }) => sum + calls, 0);
}

/** The route of a source for its hold: where every call is charged, the hold covers the input of all calls. */
function routeOf(source: DecisionSource, { decision }: DecisionClientRequest): HoldRoute {
  const { model, price } = source;
  const calls = chargedCalls(source);
  return calls === null ? { model, price } : { model, price, input_tokens: boundOfCalls(decision, calls) };
}

/** Vendors that decide: asked in the client's own protocol where they speak it, otherwise in the other one. */
function nativeCandidates(
  { deps, request, order, is_fallback }: SourceContext,
  model: Model,
  price: Price,
): readonly NativeCandidate[] {
  const able = ownRoutes(model, deps).flatMap((candidate) => {
    for (const endpoint of endpointsFor(request.protocol, candidate)) {
      const protocol = deps.decisionVendorOf(endpoint.protocol);
      if (protocol !== null) return [{ ...candidate, endpoint, price, protocol }];
    }
    return [];
  });
  return order.order(able, is_fallback);
}

function ownRoutes(model: Model, { configuration }: PipelineDeps): RouteGroup {
  return routeGroupsOf({ ...model, fallbacks: [] }, configuration)[0] ?? [];
}

/**
 * The chat model's own routes, never its fallbacks: another model has other probabilities, and the calibration does not
 * fit them. Fallbacks belong to the decision model (docs/rulings.md 103c).
 */
function engineCandidates(
  { deps, order, is_fallback }: SourceContext,
  decide_with: DecideWith,
): readonly EngineCandidate[] {
  const chat = deps.configuration.models.get(decide_with.model);
  if (chat === undefined) return [];
  const price = deps.priceAt(chat, deps.clock.now_ms());
  const able = ownRoutes(chat, deps).flatMap((candidate) => {
    const { model, vendor, route } = candidate;
    // Chat completions first: responses generate at least sixteen tokens, of which the engine needs one.
    for (const endpoint of endpointsFor("chat-completions", candidate)) {
      const codec = deps.vendorCodecOf(endpoint.protocol);
      const target = { model, vendor, endpoint, upstream_model: route.upstream_model };
      if (codec?.traits(target).honours.logprobs) return [{ ...candidate, endpoint, price, codec }];
    }
    return [];
  });
  return order.order(able, is_fallback);
}

function firstExchange(
  call: BilledCall,
  request: DecisionClientRequest,
  { candidates }: NativeSource,
): Later<DecisionExchange | null> {
  const [first] = candidates;
  return first === undefined ? null : prepareDecision(first, request, call.headers);
}

function takesImages({ input_modalities }: Model): boolean {
  return input_modalities.includes("image");
}

function tooManyCalls(needed: number, most: number): GatewayError {
  const message = `'questions' need ${needed} calls of the chat model that decides; allowed: at most ${most}. Fewer questions, or fewer options of each, need fewer calls; so does the operator's decide_with.debias: two, or none, and limits.decision_calls allows more.`;
  return new GatewayError("invalid_input", message, { param: "questions" });
}

function textOnly(id: string, { protocol, body }: DecisionClientRequest): GatewayError {
  const in_images = Array.isArray(body.images) && body.images.length > 0;
  const param = protocol === "decisions" ? "input" : in_images ? "images" : "state";
  const message = `'${param}' has an image; the model ${id} takes text only.`;
  return new GatewayError("image_input_not_supported", message, { param });
}

function unreachable(id: string): GatewayError {
  return new GatewayError("model_unavailable", `The model ${id} has no vendor that is enabled and can decide.`);
}
