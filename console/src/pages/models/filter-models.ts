import type { Endpoint, Model } from "../../../../contract/models.ts";
import { wordsIn } from "../../kit/words.ts";

/** The catalogue's filters from the address; every field is a text. */
interface ModelFilters {
  readonly q?: string | undefined;
  readonly kind?: string | undefined;
  readonly vendor?: string | undefined;
  readonly endpoint?: string | undefined;
  /** Capabilities that a model must all have, separated by commas. */
  readonly can?: string | undefined;
  /** The highest price of a million input tokens, in whole units of the currency. */
  readonly price?: string | undefined;
  /** The least context, in tokens. */
  readonly context?: string | undefined;
}

export const FILTER_NAMES = ["q", "kind", "vendor", "endpoint", "can", "price", "context"] as const;

type Capability = "tools" | "vision" | "thinking" | "json" | "streaming";

export const CAPABILITIES: readonly { readonly id: Capability; readonly label: string }[] = [
  { id: "tools", label: "Tools" },
  { id: "vision", label: "Vision" },
  { id: "thinking", label: "Thinking" },
  { id: "json", label: "JSON" },
  { id: "streaming", label: "Streaming" },
];

/** The known capabilities in `can`. */
export function askedCapabilities(can: string | undefined): Capability[] {
  const names = new Set((can ?? "").split(","));
  return CAPABILITIES.map(({ id }) => id).filter((id) => names.has(id));
}

const MICRO = 1_000_000;

/** The models that pass every filter. An invalid filter is ignored. */
export function filterModels(models: readonly Model[], filters: ModelFilters): Model[] {
  const matches = wordsIn(filters.q ?? "");
  const can = askedCapabilities(filters.can);
  const most = readNumber(filters.price);
  const least = readNumber(filters.context);
  return models.filter(
    (model) =>
      matches(`${model.id} ${model.display_name} ${model.vendor.name}`) &&
      (filters.kind === undefined || model.kind === filters.kind) &&
      (filters.vendor === undefined || model.vendor.id === filters.vendor || model.vendors.includes(filters.vendor)) &&
      (filters.endpoint === undefined || model.endpoints.includes(filters.endpoint as Endpoint)) &&
      can.every((capability) => model.capabilities[capability]) &&
      (most === null || model.price.input_micro_per_mtok <= most * MICRO) &&
      (least === null || (model.context_length ?? 0) >= least),
  );
}

function readNumber(text: string | undefined): number | null {
  const number = Number(text ?? Number.NaN);
  return Number.isFinite(number) && text !== "" ? number : null;
}

export function vendorsOf(models: readonly Model[]): { value: string; label: string }[] {
  const names = new Map(models.map(({ vendor }) => [vendor.id, vendor.name]));
  return [...names].map(([value, label]) => ({ value, label })).toSorted((a, b) => a.label.localeCompare(b.label));
}
