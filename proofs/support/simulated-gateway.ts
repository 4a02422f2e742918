import { type Simulator, startSimulator } from "../../simulator/server.ts";
import { type Gateway, startGateway } from "./gateway.ts";
import { plainModel } from "./plain-model.ts";

/** A gateway whose vendor is a simulator in the test's own process, so that a test sees what the vendor saw. */
export interface SimulatedGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly simulator: Simulator;
}

/** The price of every model here, in units per million tokens. The classes differ, so that a charge shows mix-ups. */
export const PRICE = { input: 1, output: 4, cache_read: 0.1, cache_write: 1.25 };

/** The gateway's key at the simulator, which no answer may ever show. */
export const VENDOR_KEY = "sk-vendor-secret-0123456789";

const VENDORS = {
  /** Speaks all three protocols, so that every request is relayed. */
  acme: ["chat-completions", "responses", "messages"],
  /** Speaks one protocol, so that requests in the others are not relayed. */
  chatty: ["chat-completions"],
  wordy: ["messages"],
};

/** A model's entry in the configuration; `upstream_model` defaults to the part after the slash. */
export type ModelEntry = object;

export interface SimulatedOptions {
  /** Entries of the configuration file by model id, such as `acme/slow`. */
  readonly models: Readonly<Record<string, ModelEntry>>;
  readonly limits?: Readonly<Record<string, unknown>>;
  /** Fields of the vendors' entries, such as `timeouts`. */
  readonly vendor?: Readonly<Record<string, unknown>>;
  /** Further sections of the configuration file. */
  readonly sections?: Readonly<Record<string, unknown>>;
}

export async function startSimulatedGateway({
  models,
  limits,
  vendor,
  sections,
}: SimulatedOptions): Promise<SimulatedGateway> {
  const simulator = await startSimulator({ api_key: VENDOR_KEY });
  const shared = { base_url: simulator.base_url, api_key: VENDOR_KEY, ...vendor };
  const config = {
    catalog: "none",
    vendors: {
      ...Object.fromEntries(Object.entries(VENDORS).map(([id, protocol]) => [id, { ...shared, protocol }])),
      /** A vendor at an address where nobody listens. */
      away: { protocol: VENDORS.acme, base_url: "http://127.0.0.1:1/v1" },
    },
    models: Object.fromEntries(
      Object.entries(models).map(([id, entry]) => [id, plainModel({ price: PRICE, ...entry })]),
    ),
    ...(limits === undefined ? {} : { limits }),
    ...sections,
  };
  // JSON is YAML.
  const gateway = await startGateway({ config: JSON.stringify(config, null, 2) });
  return {
    gateway,
    simulator,
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await simulator.stop();
    },
  };
}

/** Reasoning controls like those of real models that think. */
export const THINKING: ModelEntry = {
  capabilities: {
    thinking: true,
    reasoning: {
      toggle: true,
      effort: ["minimal", "low", "medium", "high", "xhigh"],
      budget_tokens: { min: 1024, max: 32000 },
    },
  },
  max_completion_tokens: 64000,
};

export const VISION: ModelEntry = { input_modalities: ["text", "image"] };
