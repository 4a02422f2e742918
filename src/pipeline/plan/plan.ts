import type { ClientRequest, Exchange, RemoteExchange } from "../../core/answer/exchange.ts";
import type { Configuration, Model } from "../../core/catalog/catalog.ts";
import type { Protocol } from "../../core/endpoints.ts";
import { GatewayError } from "../../core/errors.ts";
import type { OutputGrant } from "../../core/ledger/ledger.ts";
import type { Price } from "../../core/money/price.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import { type HoldSize, holdFor } from "../../ledger/hold.ts";
import { documentError } from "../../protocols/messages/check-content.ts";
import { refuseUnlistedEffort } from "../../protocols/shared/effort.ts";
import { candidatesOf } from "../../routing/candidates.ts";
import type { BilledCall } from "../call/call.ts";
import type { PipelineDeps } from "../call/deps.ts";
import { requireCompletions } from "./find-model.ts";
import { CandidateOrder } from "./order-candidates.ts";
import { type PlannedCandidate, type Prospects, priceOf, prospectsOf } from "./prospects.ts";
import { isSeen } from "./seen-output.ts";

/** The parts of a request's plan that its admission depends on. */
export interface AdmissiblePlan extends HoldSize {
  readonly key: KeyRecord;
  readonly model: Model;
  /** The model's price at admission, which the request keeps. */
  readonly price: Price;
  /** How its candidates were put in order; absent where there was no choice. */
  readonly order?: CandidateOrder;
}

/** The plan of a request, made before anything is held or sent. */
export interface Plan extends AdmissiblePlan {
  readonly candidates: readonly PlannedCandidate[];
  /** Whether every candidate takes a cap on its output. */
  readonly takes_cap: boolean;
  /**
   * The exchange with the first candidate: prepared early, so that what the target must refuse is refused before the
   * hold. Null where the request was changed since: it is then prepared anew.
   */
  readonly first_exchange: PreparedExchange | null;
}

/** An exchange on this thread, or in a body worker. */
export type PreparedExchange = Exchange | RemoteExchange;

/** Plans a request for its model. Throws the GatewayError that the client gets when it is not possible. */
export function planRequest(
  deps: PipelineDeps,
  call: BilledCall,
  { key, model, request }: { readonly key: KeyRecord; readonly model: Model; readonly request: ClientRequest },
): Plan | Promise<Plan> {
  refuseDocuments(deps.configuration, request);
  requireCompletions(model, request.protocol);
  if (request.effort !== undefined) refuseUnlistedEffort(request.effort, model);

  const prospects = prospectsOf(deps, model, request.protocol);
  const order = prospects.has_choice ? new CandidateOrder(deps, call, request) : undefined;
  const candidates = orderedBy(order, prospects);
  const first = candidates[0];
  if (first === undefined) throw noWay(deps, call, request, model);
  const outline = { key, model, prospects, candidates, ...(order !== undefined && { order }) };
  const { remote } = request;
  if (remote === undefined)
    return planOf(request, outline, first, first.adapter.prepare(request, first.target, call.headers));
  return remote
    .prepare(first.target, request.granted_cap)
    .then((exchange) => planOf(request, outline, first, exchange));
}

/** Throws the specification's 400 for a document in what the user says, unless the operator allows them (docs/rulings.md 189). */
export function refuseDocuments({ messages }: Configuration, { document }: Pick<ClientRequest, "document">): void {
  if (document !== undefined && messages?.documents !== "allow") throw documentError(document);
}

function orderedBy(order: CandidateOrder | undefined, { groups }: Prospects): readonly PlannedCandidate[] {
  const [first] = groups;
  if (order === undefined) return first !== undefined && groups.length === 1 ? first : groups.flat();
  return groups.flatMap((group, index) => order.order(group, index > 0));
}

interface Outline extends Pick<Plan, "key" | "model" | "candidates" | "order"> {
  readonly prospects: Prospects;
}

/** What speaks, draws or listens has no output that could be capped. */
const UNCAPPED: ReadonlySet<Protocol> = new Set([
  ...(["speech", "images", "image-edits", "transcriptions", "translations"] as const),
]);

function planOf(
  request: ClientRequest,
  { key, model, prospects, candidates, order }: Outline,
  first: PlannedCandidate,
  first_exchange: PreparedExchange,
): Plan {
  const { price, routes } = prospects;
  const takes_cap = prospects.takes_cap && !UNCAPPED.has(request.protocol);
  const inputs_apart = model.kind === "embedding" || model.kind === "moderation" || model.kind === "rerank";
  const hold = holdFor(request, { is_seen: isSeen(request, prospects), takes_cap, inputs_apart, model, routes });
  return {
    key,
    model,
    price: price === first.price ? priceOf(first_exchange, price) : price,
    candidates,
    ...(order !== undefined && { order }),
    first_exchange,
    takes_cap,
    hold_micro: hold.hold_micro,
    allowance: hold.allowance,
    bound_tokens: hold.bound_tokens,
    held_output_tokens: hold.held_output_tokens,
    covers_output: hold.covers_output,
  };
}

/** A request and its plan after a grant of less output than the model's maximum: the cap goes to the vendor. */
export function withGrant<Asked extends ClientRequest>(
  request: Asked,
  plan: Plan,
  { hold_micro, output_tokens }: OutputGrant,
): { readonly request: Asked; readonly plan: Plan } {
  const granted_cap = Math.floor(output_tokens / request.choices);
  return {
    request: { ...request, granted_cap },
    plan: { ...plan, first_exchange: null, hold_micro, held_output_tokens: output_tokens },
  };
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
