import type { ModelKind, ReasoningControls } from "../../core/catalog/catalog.ts";
import type { PublishedClasses, PublishedModel, PublishedPrice } from "../published/published-catalog.ts";
import { formatPrice } from "../published/write-configuration.ts";

/**
 * A model as an element of a configuration (docs/configuration.md "A model"): the value under the model's id in its file.
 * Prices are decimal texts, so that no price passes through a float.
 */
export type ModelElement = Readonly<Record<string, unknown>>;
export type PriceElement = Readonly<Record<string, unknown>>;

/** The known facts about a model beside its price. A field is null where nothing is known, and then not written. */
export type ModelFacts = Partial<
  Pick<PublishedModel, "display_name" | "created" | "context_length" | "max_completion_tokens" | "capabilities">
> & {
  readonly kind?: ModelKind;
  readonly upstream_model?: string | null;
  readonly input_modalities?: readonly string[] | null;
  readonly output_modalities?: readonly string[] | null;
};

/** The element of a model; only what differs from the configuration's defaults is written. */
export function modelElement(facts: ModelFacts, price: PriceElement | null): ModelElement {
  const { kind = "chat", input_modalities, output_modalities } = facts;
  const only_text = output_modalities?.length === 1 && output_modalities[0] === "text";
  return withoutNulls({
    kind: kind === "chat" ? null : kind,
    upstream_model: facts.upstream_model,
    display_name: facts.display_name,
    created: facts.created,
    context_length: facts.context_length,
    max_completion_tokens: facts.max_completion_tokens,
    input_modalities: input_modalities && [...input_modalities],
    output_modalities: only_text || !output_modalities ? null : [...output_modalities],
    capabilities: capabilitiesElement(facts.capabilities ?? {}),
    price,
  });
}

function capabilitiesElement(capabilities: NonNullable<ModelFacts["capabilities"]>): object | null {
  const { tools, json, thinking, reasoning } = capabilities;
  const controls = reasoning === undefined ? {} : controlsOf(reasoning);
  const has_controls = Object.keys(controls).length > 0;
  const element = {
    ...(tools === false && { tools }),
    ...(json === false && { json }),
    ...((thinking === false || (thinking === true && !has_controls)) && { thinking }),
    ...(has_controls && { reasoning: controls }),
  };
  return Object.keys(element).length === 0 ? null : element;
}

function controlsOf({ toggle, effort, budget_tokens }: ReasoningControls): object {
  return {
    ...(toggle === true && { toggle }),
    ...(effort !== undefined && { effort: [...effort] }),
    ...(budget_tokens !== undefined && { budget_tokens: { ...budget_tokens } }),
  };
}

/** The element of a price of a published list: a class that the list does not price is left out. */
export function publishedPriceElement({ calls, units: _, tiers, ...classes }: PublishedPrice): PriceElement {
  const called = Object.entries(calls ?? {}).map(([name, price]) => [name, formatPrice(price)]);
  return {
    ...publishedClasses(classes),
    ...(called.length > 0 && { calls: Object.fromEntries(called) }),
    ...(tiers.length > 0 && {
      tiers: tiers.map(({ above_input_tokens, ...tier }) => ({ above_input_tokens, ...publishedClasses(tier) })),
    }),
  };
}

function publishedClasses({ parts, ...main }: PublishedClasses): Record<string, string> {
  const priced = Object.entries({ ...main, ...parts }).filter(([, price]) => price !== null);
  return Object.fromEntries(priced.map(([name, price]) => [name, formatPrice(price as number)]));
}

function withoutNulls(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}
