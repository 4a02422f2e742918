import {
  type Capabilities,
  type Configuration,
  INPUT_ONLY_KINDS,
  type Model,
  type ModelKind,
} from "../../core/catalog/catalog.ts";
import type { Price } from "../../core/money/price.ts";
import { UNIT_NAMES } from "../../core/money/price-classes.ts";
import { withVersion } from "../prices/price-version.ts";
import { scaleDecimal } from "../reading/decimal.ts";
import { ENGINE_DEFAULTS } from "../reading/read-decide-with.ts";
import { DEFAULT_LIMITS } from "../reading/read-limits.ts";
import { DEFAULT_RESPONSES } from "../reading/read-responses.ts";
import { vendorOfRow } from "../reading/read-vendor.ts";
import { endpoints, type VendorRow, vendor } from "../vendors/vendor-row.ts";
import { BUNDLED_CURRENCY } from "./bundled-models.ts";

export const SIMULATOR_ID = "sim";

/** A model of the simulator, as the simulator's own table describes it. */
export interface SimulatedModel {
  /** The short name, without the vendor: `echo`. */
  readonly id: string;
  readonly display_name: string;
  readonly kind: ModelKind;
  readonly capabilities: Capabilities;
  readonly mid_system?: boolean;
  readonly completions?: true;
  readonly context_length: number;
  readonly max_completion_tokens: number;
  readonly input_modalities: readonly string[];
  readonly output_modalities: readonly string[];
  /** Whether the first run lists it: the few models that show what a gateway does. The others are fixtures for tests. */
  readonly telling?: boolean;
  /** Prices in currency units per million tokens, as decimal texts. */
  readonly price: {
    readonly input: string;
    readonly output: string;
    readonly cache_read: string;
    readonly cache_write: string;
    readonly input_characters?: string;
    readonly images?: string;
    readonly searches?: string;
    readonly input_minutes?: string;
  };
}

/** The built-in simulator: the address on which it listens, `http://127.0.0.1:PORT/v1`, and its models. */
export interface Simulator {
  readonly base_url: string;
  readonly models: readonly SimulatedModel[];
}

/** The configuration of the first run, when no model is configured: the simulator's alone. */
export function simulatorConfiguration(simulator: Simulator): Configuration {
  const row = simulatorRow(simulator.base_url);
  return {
    currency: BUNDLED_CURRENCY,
    vendors: new Map([[SIMULATOR_ID, vendorOfRow(row, row.endpoints, { api_key: null })]]),
    models: new Map(firstModels(simulator).map((model) => [model.id, model])),
    limits: DEFAULT_LIMITS,
    responses: DEFAULT_RESPONSES,
  };
}

/** The models of the first run: few are listed, and all answer. */
function firstModels({ models }: Simulator): Model[] {
  const telling = new Set(
    models.flatMap(({ id, telling: is_telling }) => (is_telling ? [`${SIMULATOR_ID}/${id}`] : [])),
  );
  telling.add(`${SIMULATOR_ID}/${JUDGE_DECIDER}`);
  return simulatedModels(models).map((model) => (telling.has(model.id) ? model : { ...model, unlisted: "fixture" }));
}

/** A configuration of other vendors in which the demo key of the first run still reaches the simulator (docs/design/people.md). */
export function withDemo(configuration: Configuration, simulator: Simulator): Configuration {
  if (configuration.vendors.has(SIMULATOR_ID)) return configuration;
  const { vendors, models } = simulatorConfiguration(simulator);
  return {
    ...configuration,
    vendors: new Map([...configuration.vendors, ...vendors]),
    models: new Map([...configuration.models, ...forDemo(models)]),
  };
}

/** The simulator's models for keys that name them alone. */
export function forDemo(models: ReadonlyMap<string, Model>): Map<string, Model> {
  return new Map([...models].map(([id, model]) => [id, { ...model, unlisted: "demo" }]));
}

const SIMULATED_PROTOCOLS = ["chat-completions", "responses", "messages", "rerank", "decisions", "systemone"] as const;

/** The simulator as a row of the vendor table: it speaks the public protocols and needs no credential. */
export function simulatorRow(base_url: string): VendorRow {
  return vendor(SIMULATOR_ID, "Simulator", endpoints(base_url, SIMULATED_PROTOCOLS), {
    forwards_safety_identifier: true,
  });
}

/**
 * The simulator's chat model with true log-probabilities, and the decision model that the gateway's engine makes of
 * it.
 */
const JUDGE = "judge";
const JUDGE_DECIDER = "judge-decider";

/**
 * The simulator's models as models of the catalogue, `sim/…`, with a decision model that the gateway's engine makes of
 * the judge.
 */
export function simulatedModels(models: readonly SimulatedModel[]): Model[] {
  const simulated = models.map(catalogueModel);
  const judge = models.find(({ id }) => id === JUDGE);
  return judge === undefined ? simulated : [...simulated, judgeDecider(judge)];
}

function judgeDecider(judge: SimulatedModel): Model {
  return {
    ...catalogueModel({ ...judge, id: JUDGE_DECIDER, display_name: "Simulated judge as a decider", kind: "decision" }),
    output_modalities: ["decision"],
    routes: [],
    decide_with: { engine: "logprobs", model: `${SIMULATOR_ID}/${JUDGE}`, ...ENGINE_DEFAULTS },
  };
}

function catalogueModel(model: SimulatedModel): Model {
  return {
    id: `${SIMULATOR_ID}/${model.id}`,
    display_name: model.display_name,
    owned_by: "camino",
    created: 0,
    kind: model.kind,
    context_length: model.context_length,
    max_completion_tokens: model.max_completion_tokens,
    input_modalities: model.input_modalities,
    output_modalities: model.output_modalities,
    capabilities: model.capabilities,
    ...(model.mid_system !== undefined && { mid_system: model.mid_system }),
    ...(model.completions === true && { completions: true as const }),
    prices: [
      withVersion({
        from_ms: 0,
        input_micro_per_mtok: exactMicro(model.price.input),
        output_micro_per_mtok: INPUT_ONLY_KINDS.has(model.kind) ? 0 : exactMicro(model.price.output),
        cache_read_micro_per_mtok: exactMicro(model.price.cache_read),
        cache_write_micro_per_mtok: exactMicro(model.price.cache_write),
        ...unitsOf(model.price),
        tiers: [],
      }),
    ],
    routes: [{ vendor: SIMULATOR_ID, upstream_model: model.id, weight: 1 }],
    fallbacks: [],
  };
}

function unitsOf(price: SimulatedModel["price"]): Pick<Price, "units_micro"> {
  const priced = UNIT_NAMES.flatMap((name) => {
    const text = price[name];
    return text === undefined ? [] : [[name, exactMicro(text)] as const];
  });
  return priced.length === 0 ? {} : { units_micro: Object.fromEntries(priced) };
}

function exactMicro(text: string): number {
  const decimal = scaleDecimal(text, 6);
  if (decimal.kind !== "whole") throw new Error(`${JSON.stringify(text)} is not a price`);
  return Number(decimal.value);
}
