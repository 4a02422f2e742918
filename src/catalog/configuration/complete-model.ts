import type { Capabilities, Model, ModelKind, Route } from "../../core/catalog/catalog.ts";
import type { Protocol } from "../../core/endpoints.ts";
import type { Price } from "../../core/money/price.ts";
import { vendorOf } from "../names/model-id.ts";
import type { ModelDraft } from "../reading/read-model.ts";

/**
 * Completes a model: each field comes from the file, else from the bundled catalogue's draft (`known`), else from the
 * defaults. A capability is on unless it is denied, so a chat model streams, calls tools and writes JSON by default.
 * `vision` defaults to whether the model takes images, `thinking` to whether the model has reasoning controls; where nothing
 * says either, the model may reason unseen (docs/rulings.md 170, 66).
 */
export function completeModel(id: string, draft: ModelDraft, known: ModelDraft | null): Model {
  const vendor = vendorOf(id);
  const short_name = id.slice(vendor.length + 1);
  const stated = { ...known?.capabilities, ...draft.capabilities };
  const input_modalities =
    draft.input_modalities ?? known?.input_modalities ?? (stated.vision ? ["text", "image"] : ["text"]);
  const model: Model = {
    id,
    display_name: draft.display_name ?? known?.display_name ?? short_name,
    owned_by: draft.owned_by ?? known?.owned_by ?? vendor,
    created: draft.created ?? known?.created ?? 0,
    kind: draft.kind,
    context_length: draft.context_length ?? known?.context_length ?? null,
    max_completion_tokens: draft.max_completion_tokens ?? known?.max_completion_tokens ?? null,
    input_modalities,
    output_modalities: draft.output_modalities ?? known?.output_modalities ?? [MADE_BY[draft.kind] ?? "text"],
    capabilities: completeCapabilities(draft.kind, stated, input_modalities),
    prices: draft.prices ?? known?.prices ?? [],
    routes: draft.decide_with === null ? routesOf(id, draft, known) : [],
    fallbacks: draft.fallbacks?.map(({ name }) => name) ?? [],
  };
  const { mid_system, sampling } = stated;
  const { routing } = draft;
  const whole: Model = {
    ...model,
    ...(draft.kind === "chat" && saysNothingOfThinking(stated) && { thinking_unsaid: true }),
    ...(routing !== null && (routing.pick ?? routing.sticky) !== undefined && { routing }),
    ...(mid_system !== undefined && { mid_system }),
    ...(draft.kind === "chat" && (draft.completions ?? known?.completions) === true && { completions: true as const }),
    ...(sampling !== undefined && sampling !== "always" && { sampling }),
  };
  if (draft.decide_with === null) return whole;
  const { model: chat, ...settings } = draft.decide_with;
  return { ...whole, decide_with: { engine: "logprobs", model: chat.name, ...settings } };
}

/** What models of a kind make, where it is no text. */
const MADE_BY: Readonly<Partial<Record<ModelKind, string>>> = {
  ...{ embedding: "embedding", rerank: "ranking", speech: "audio", image: "image" },
};

function routesOf(id: string, draft: ModelDraft, known: ModelDraft | null): Route[] {
  const vendor = vendorOf(id);
  const upstream_model = draft.upstream_model ?? known?.upstream_model ?? id.slice(vendor.length + 1);
  if (draft.routes === null) {
    return [route({ vendor, upstream_model, weight: 1 }, draft.protocols ?? known?.protocols ?? null, draft.cost)];
  }
  return draft.routes.map(({ vendor: { name }, upstream_model: own, weight, protocols, cost }) =>
    route(
      { vendor: name, upstream_model: own ?? upstream_model, weight },
      protocols ?? draft.protocols,
      cost ?? draft.cost,
    ),
  );
}

function route(
  rest: Pick<Route, "vendor" | "upstream_model" | "weight">,
  protocols: readonly Protocol[] | null,
  cost: readonly Price[] | null,
): Route {
  return { ...rest, ...(protocols !== null && { protocols }), ...(cost !== null && { cost }) };
}

function saysNothingOfThinking({ thinking, reasoning }: Partial<Capabilities>): boolean {
  return thinking === undefined && reasoning === undefined;
}

function completeCapabilities(
  kind: ModelKind,
  stated: Partial<Capabilities>,
  input_modalities: readonly string[],
): Capabilities {
  const talks = kind === "chat";
  const thinking = stated.thinking ?? stated.reasoning !== undefined;
  const capabilities = {
    streaming: stated.streaming ?? talks,
    tools: stated.tools ?? talks,
    json: stated.json ?? talks,
    vision: stated.vision ?? input_modalities.includes("image"),
    thinking,
  };
  return thinking ? { ...capabilities, reasoning: stated.reasoning ?? {} } : capabilities;
}
