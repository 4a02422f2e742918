import { type Capabilities, chargesOutput, sidesOf } from "../../core/catalog/catalog.ts";
import { formatAmount, micro } from "../../core/money/money.ts";
import type { PublishedCatalog, PublishedClasses, PublishedModel, PublishedVendor } from "./published-catalog.ts";

/** Writes vendors and models as a configuration file that `loadConfiguration` accepts. */
export function writeConfiguration({ vendors, models }: Pick<PublishedCatalog, "vendors" | "models">): string {
  const lines = ["currency: USD", "catalog: none", ""];
  if (vendors.length > 0) lines.push("vendors:", ...vendors.flatMap(vendorLines), "");
  return `${[...lines, ...modelsLines(models)].join("\n")}\n`;
}

/** The `models` part of a configuration file. */
export function modelsLines(models: readonly PublishedModel[]): string[] {
  return models.length === 0 ? [] : ["models:", ...models.flatMap(modelLines)];
}

function vendorLines({ id, address, api_key_env }: PublishedVendor): string[] {
  if (address === null) return [`  ${id}: {}`];
  return [
    `  ${id}:`,
    `    name: ${scalar(address.name)}`,
    `    protocol: ${address.protocol}`,
    `    base_url: ${scalar(address.base_url)}`,
    ...(api_key_env === null ? [] : [`    api_key: \${${api_key_env}}`]),
  ];
}

function modelLines(model: PublishedModel): string[] {
  const field = (name: string, value: string | number | null) => (value === null ? [] : [`    ${name}: ${value}`]);
  // The output of models of other kinds follows from their kind.
  const is_usual =
    model.kind !== undefined || (model.output_modalities.length === 1 && model.output_modalities[0] === "text");
  return [
    `  ${model.id}:`,
    ...field("kind", model.kind ?? null),
    ...field("display_name", model.display_name === null ? null : scalar(model.display_name)),
    ...field("created", model.created),
    ...field("context_length", model.context_length),
    ...field("max_completion_tokens", model.max_completion_tokens),
    ...field("input_modalities", model.input_modalities.length === 0 ? null : flowList(model.input_modalities)),
    ...field("output_modalities", is_usual ? null : flowList(model.output_modalities)),
    ...field("capabilities", capabilitiesText(model.capabilities)),
    ...field("price", priceText(model)),
  ];
}

/** The capabilities as YAML; only those that differ from the defaults are written. */
function capabilitiesText({ tools, json, thinking, reasoning }: Partial<Capabilities>): string | null {
  const parts = [
    ...(tools === false ? ["tools: false"] : []),
    ...(json === false ? ["json: false"] : []),
    ...(thinking === false ? ["thinking: false"] : []),
    ...(thinking && Object.keys(reasoning ?? {}).length === 0 ? ["thinking: true"] : []),
  ];
  const { toggle, effort, budget_tokens } = reasoning ?? {};
  const controls = [
    ...(toggle ? ["toggle: true"] : []),
    ...(effort === undefined ? [] : [`effort: ${flowList(effort)}`]),
    ...(budget_tokens === undefined
      ? []
      : [`budget_tokens: ${flowMap(Object.entries(budget_tokens).map(([key, value]) => `${key}: ${value}`))}`]),
  ];
  if (controls.length > 0) parts.push(`reasoning: ${flowMap(controls)}`);
  return parts.length === 0 ? null : flowMap(parts);
}

function priceText({ price, kind }: PublishedModel): string {
  const units = Object.entries(price.units ?? {}).map(([name, micro]) => `${name}: ${formatPrice(micro)}`);
  if (units.length > 0) return flowMap(units);
  if (kind !== undefined && !chargesOutput(sidesOf(kind))) return flowMap(classTexts({ ...price, output: null }));
  const tiers = price.tiers.map((tier) =>
    flowMap([`above_input_tokens: ${tier.above_input_tokens}`, ...classTexts(tier)]),
  );
  const calls = Object.entries(price.calls ?? {}).map(([name, micro]) => `${name}: ${formatPrice(micro)}`);
  const called = calls.length === 0 ? [] : [`calls: ${flowMap(calls)}`];
  return flowMap([...classTexts(price), ...called, ...(tiers.length === 0 ? [] : [`tiers: [${tiers.join(", ")}]`])]);
}

/** What costs nothing is not written where there is nothing to charge. */
type WrittenClasses = Omit<PublishedClasses, "output"> & { readonly output: number | null };

function classTexts({ input, output, cache_read, cache_write, parts = {} }: WrittenClasses): string[] {
  const prices: Record<string, number | null> = { input, output, cache_read, cache_write, ...parts };
  return Object.entries(prices).flatMap(([name, price]) => (price === null ? [] : [`${name}: ${formatPrice(price)}`]));
}

/** A price in micro units per million tokens as a decimal of the currency: `3.00`, `0.0375`. */
export function formatPrice(price_micro_per_mtok: number): string {
  return formatAmount(micro(price_micro_per_mtok));
}

function flowList(items: readonly string[]): string {
  return `[${items.map(scalar).join(", ")}]`;
}

function flowMap(parts: readonly string[]): string {
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}

/** Writes a text as a YAML scalar: plain when YAML reads it back as the same text, else quoted as in JSON. */
function scalar(text: string): string {
  const plain =
    /^[A-Za-z][A-Za-z0-9._/+() -]*[A-Za-z0-9)]$/.test(text) && !/^(true|false|null|yes|no|on|off)$/i.test(text);
  return plain ? text : JSON.stringify(text);
}
