import type { Model, VendorEndpoint } from "../core/catalog.ts";
import type { Protocol } from "../core/endpoints.ts";
import { GatewayError } from "../core/errors.ts";
import type { ClientRequest, Exchange, Target, Way } from "../core/exchange.ts";
import type { Price } from "../core/price.ts";
import type { KeyRecord } from "../core/principal.ts";
import { holdFor } from "../ledger/hold.ts";
import { type Candidate, candidatesOf } from "../routing/candidates.ts";
import type { AdmissiblePlan } from "./admit.ts";
import type { BilledCall } from "./call.ts";
import type { PipelineDeps } from "./deps.ts";

/** A candidate with the endpoint where it is asked and the price that is frozen for it. */
export interface PricedCandidate extends Candidate {
  readonly endpoint: VendorEndpoint;
  readonly price: Price;
}

/** A candidate with the way that this request takes to it. */
export interface PlannedCandidate extends PricedCandidate {
  readonly way: Way;
}

/** What a request is going to do, decided before anything is held or sent. */
export interface Plan extends AdmissiblePlan {
  readonly candidates: readonly PlannedCandidate[];
  /** Made ready for the first candidate already, so that what the target must refuse is refused before the hold. */
  readonly first_exchange: Exchange;
}

/** Resolves the model and plans the request. Throws the GatewayError that a client gets when it cannot be done. */
export function planRequest(deps: PipelineDeps, call: BilledCall, key: KeyRecord, request: ClientRequest): Plan {
  const resolved = deps.resolveModel(key, request.model);
  if (resolved === null) throw modelNotFound(request.model);
  const { model } = resolved;
  call.notes.model = model.id;
  if (model.kind === "decision") throw notForGeneration(model.id);

  const candidates = planCandidates(deps, request, model);
  const first = candidates[0];
  if (first === undefined) throw noWay(deps, call, request, model);
  const first_exchange = first.way.prepare(request, targetOf(first), call.headers);

  const { input_bound_tokens, output_cap, choices } = request;
  const prices = candidates.map(({ price }) => price);
  const hold = holdFor({ input_bound_tokens, output_cap, choices, model, prices });
  return {
    key,
    model,
    candidates,
    first_exchange,
    hold_micro: hold.hold_micro,
    bound_tokens: hold.bound_tokens,
    held_output_tokens: hold.held_output_tokens,
    covers_cap: hold.covers_cap,
  };
}

/** The target that a protocol prepares the request for. */
export function targetOf(candidate: PricedCandidate): Target {
  const { model, vendor, endpoint, route } = candidate;
  return { model, vendor, endpoint, upstream_model: route.upstream_model };
}

function planCandidates(deps: PipelineDeps, request: ClientRequest, model: Model): PlannedCandidate[] {
  const now_ms = deps.clock.now_ms();
  const planned: PlannedCandidate[] = [];
  for (const candidate of candidatesOf(model, deps.configuration, deps.random)) {
    const found = endpointFor(deps, request, candidate);
    if (found === null) continue;
    const { model: answering, route, vendor } = candidate;
    const { endpoint, way } = found;
    planned.push({ model: answering, route, vendor, endpoint, way, price: deps.priceAt(answering, now_ms) });
  }
  return planned;
}

/** The vendor's endpoint that speaks the client's protocol (relay), else the first that there is a way to. */
function endpointFor(deps: PipelineDeps, request: ClientRequest, candidate: Candidate) {
  for (const endpoint of endpointsFor(request.protocol, candidate)) {
    const way = deps.wayBetween(request.protocol, endpoint.protocol);
    if (way !== null) return { endpoint, way };
  }
  return null;
}

/** The vendor's endpoints that serve the route, the one with that protocol first; in its own order for null. */
export function endpointsFor(preferred: Protocol | null, { route, vendor }: Candidate): readonly VendorEndpoint[] {
  const { protocols } = route;
  const { endpoints: offered } = vendor;
  // Nearly every vendor has one endpoint for all of its routes.
  if (protocols === undefined && offered.length === 1) return offered;
  const endpoints = protocols === undefined ? offered : offered.filter(({ protocol }) => protocols.includes(protocol));
  const own = endpoints.find(({ protocol }) => protocol === preferred);
  return own === undefined || own === endpoints[0] ? endpoints : [own, ...endpoints];
}

/** The same answer for a model that is not there and one that the key may not use (docs/rulings.md 17). */
export function modelNotFound(name: string): GatewayError {
  return new GatewayError(
    "model_not_found",
    `The model ${JSON.stringify(name.slice(0, 200))} does not exist or you may not use it.`,
    { param: "model" },
  );
}

function notForGeneration(id: string): GatewayError {
  return new GatewayError(
    "model_not_supported_on_endpoint",
    `The model ${id} is a decision model: use /v1/decisions or /v1/systemone.`,
    { param: "model" },
  );
}

function noWay(deps: PipelineDeps, call: BilledCall, request: ClientRequest, model: Model): GatewayError {
  const candidates = candidatesOf(model, deps.configuration, deps.random);
  if (candidates.length === 0) {
    return new GatewayError("model_unavailable", `The model ${model.id} has no vendor that is enabled.`);
  }
  const spoken = new Set(candidates.flatMap(({ vendor }) => vendor.endpoints.map((endpoint) => endpoint.protocol)));
  return new GatewayError(
    call.general_error,
    `The model ${model.id} is reached by ${[...spoken].join(", ")} only, and this request speaks ${request.protocol}.`,
    { param: "model" },
  );
}
