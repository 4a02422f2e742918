import type { Endpoint, ModelPrice, PriceVersion, Model as ShownModel } from "../../../contract/models.ts";
import { vendorOf } from "../../catalog/names/model-id.ts";
import { priceAt } from "../../catalog/prices/price-at.ts";
import { type Configuration, type Model, makesImages } from "../../core/catalog/catalog.ts";
import type { Price, PriceVariants } from "../../core/money/price.ts";
import { priceObject } from "../../ledger/receipt.ts";
import { showTime } from "./show.ts";

/** Chat models are translated to every generation style; decision models answer decisions only (docs/rulings.md 37). */
const ENDPOINTS: Readonly<Record<Model["kind"], readonly Endpoint[]>> = {
  chat: ["chat.completions", "responses", "messages", "generateContent"],
  decision: ["decisions", "systemone"],
  embedding: ["embeddings"],
  speech: ["audio.speech"],
  image: ["images.generations", "images.edits"],
  rerank: ["rerank"],
  transcription: ["audio.transcriptions", "audio.translations"],
  moderation: ["moderations"],
};

export function endpointsOf(model: Model): Endpoint[] {
  const legacy: Endpoint[] = model.completions === true ? ["completions"] : [];
  const also = model.kind === "chat" && makesImages(model) ? ENDPOINTS.image : [];
  return [...ENDPOINTS[model.kind], ...legacy, ...also];
}

/** A model as the catalogue's pages show it. */
export function showModel(model: Model, configuration: Configuration, now_ms: number): ShownModel {
  const { streaming, tools, json, vision, thinking, reasoning } = model.capabilities;
  const vendor = vendorOf(model.id);
  return {
    id: model.id,
    object: "model",
    display_name: model.display_name,
    kind: model.kind,
    owned_by: model.owned_by,
    created: model.created,
    context_length: model.context_length,
    max_completion_tokens: model.max_completion_tokens,
    input_modalities: [...model.input_modalities],
    output_modalities: [...model.output_modalities],
    capabilities: {
      ...{ streaming, tools, json, vision, thinking },
      ...(reasoning === undefined ? {} : { reasoning: showReasoning(reasoning) }),
    },
    price: showPrice(priceAt(model, now_ms)),
    prices: showVersions(model, now_ms),
    vendor: { id: vendor, name: configuration.vendors.get(vendor)?.name ?? vendor },
    endpoints: endpointsOf(model),
    decided_with: model.decide_with?.model ?? null,
    vendors: model.routes.map((route) => route.vendor),
    fallbacks: [...model.fallbacks],
    ...(model.sampling === undefined ? {} : { sampling: model.sampling }),
    ...(model.unlisted === undefined ? {} : { unlisted: model.unlisted }),
  };
}

type Reasoning = NonNullable<Model["capabilities"]["reasoning"]>;
type ShownReasoning = NonNullable<ShownModel["capabilities"]["reasoning"]>;

function showReasoning({ toggle, effort, budget_tokens }: Reasoning): ShownReasoning {
  return {
    ...(toggle === undefined ? {} : { toggle }),
    ...(effort === undefined ? {} : { effort: [...effort] }),
    ...(budget_tokens === undefined ? {} : { budget_tokens: { ...budget_tokens } }),
  };
}

/** Every version of a model's price with the time in which it holds. Requests are charged at the version in effect. */
function showVersions(model: Model, now_ms: number): PriceVersion[] {
  const effective = priceAt(model, now_ms);
  return model.prices.map((price, index) => {
    const next = model.prices[index + 1];
    return {
      ...showPrice(price),
      from: price.from_ms === 0 ? null : showTime(price.from_ms),
      until: next === undefined ? null : showTime(next.from_ms),
      effective: price === effective,
    };
  });
}

/** A price without its date: its version, classes and tiers, and the price lists of its variants. */
function showPrice(price: Price): ModelPrice {
  const { variants } = price;
  return { ...priceObject(price), ...(variants !== undefined && { variants: showVariants(variants) }) };
}

function showVariants({ service_tiers, speeds, residency_millionths: factors, images }: PriceVariants) {
  return {
    service_tiers: Object.values(service_tiers ?? {}).map(priceObject),
    speeds: Object.values(speeds ?? {}).map(priceObject),
    ...(images !== undefined && { images: Object.values(images).map(priceObject) }),
    residency: Object.fromEntries(Object.entries(factors ?? {}).map(([place, factor]) => [place, factor / 1_000_000])),
  };
}
