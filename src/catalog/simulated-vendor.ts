import type { Capabilities, Configuration, Model } from "../core/catalog.ts";
import { BUNDLED_CURRENCY } from "./bundled-models.ts";
import { scaleDecimal } from "./decimal.ts";
import { withVersion } from "./price-version.ts";
import { DEFAULT_LIMITS } from "./read-limits.ts";
import { vendorOfRow } from "./read-vendor.ts";
import { endpoints, type VendorRow, vendor } from "./vendor-row.ts";

/** The vendor id of the built-in simulator. */
export const SIMULATOR_ID = "sim";

/** A model of the simulator, as the simulator's own table describes it. */
export interface SimulatedModel {
  /** Without the vendor: `echo`. */
  readonly id: string;
  readonly display_name: string;
  readonly capabilities: Capabilities;
  readonly context_length: number;
  readonly max_completion_tokens: number;
  readonly input_modalities: readonly string[];
  readonly output_modalities: readonly string[];
  /** Currency units per million tokens, decimal. */
  readonly price: {
    readonly input: string;
    readonly output: string;
    readonly cache_read: string;
    readonly cache_write: string;
  };
}

/** The built-in simulator: where it listens, `http://127.0.0.1:PORT/v1`, and what it has. */
export interface Simulator {
  readonly base_url: string;
  readonly models: readonly SimulatedModel[];
}

/** What is configured when nothing is: the simulator's models, and nothing else (the first run). */
export function simulatorConfiguration(simulator: Simulator): Configuration {
  const row = simulatorRow(simulator.base_url);
  return {
    currency: BUNDLED_CURRENCY,
    vendors: new Map([[SIMULATOR_ID, vendorOfRow(row, row.endpoints, { api_key: null })]]),
    models: new Map(simulatedModels(simulator.models).map((model) => [model.id, model])),
    limits: DEFAULT_LIMITS,
  };
}

/** The simulator as a row of the vendor table: it speaks the three public generation protocols and needs no credential. */
export function simulatorRow(base_url: string): VendorRow {
  return vendor(SIMULATOR_ID, "Simulator", endpoints(base_url, ["chat-completions", "responses", "messages"]), {
    forwards_safety_identifier: true,
  });
}

/** The simulator's models as models of the catalogue, `sim/…`. */
export function simulatedModels(models: readonly SimulatedModel[]): Model[] {
  return models.map((model) => ({
    id: `${SIMULATOR_ID}/${model.id}`,
    display_name: model.display_name,
    owned_by: "camino",
    created: 0,
    kind: "chat",
    context_length: model.context_length,
    max_completion_tokens: model.max_completion_tokens,
    input_modalities: model.input_modalities,
    output_modalities: model.output_modalities,
    capabilities: model.capabilities,
    prices: [
      withVersion({
        from_ms: 0,
        input_micro_per_mtok: exactMicro(model.price.input),
        output_micro_per_mtok: exactMicro(model.price.output),
        cache_read_micro_per_mtok: exactMicro(model.price.cache_read),
        cache_write_micro_per_mtok: exactMicro(model.price.cache_write),
        tiers: [],
      }),
    ],
    routes: [{ vendor: SIMULATOR_ID, upstream_model: model.id, weight: 1 }],
    fallbacks: [],
  }));
}

function exactMicro(text: string): number {
  const decimal = scaleDecimal(text, 6);
  if (decimal.kind !== "whole") throw new Error(`${JSON.stringify(text)} is not a price`);
  return Number(decimal.value);
}
