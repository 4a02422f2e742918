import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { plainModel } from "../../support/plain-model.ts";
import { type ModelEntry, PRICE, THINKING, VENDOR_KEY, VISION } from "../../support/simulated-gateway.ts";

/** A gateway with one vendor for each protocol that vendors speak; all of them are one simulator in the test's process. */
export interface FiveVendors extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly simulator: Simulator;
  readonly key: string;
}

/** Each vendor is named after its protocol. */
export const PROTOCOLS = ["chat-completions", "responses", "messages", "gemini", "bedrock-converse"] as const;
export type VendorProtocol = (typeof PROTOCOLS)[number];

/**
 * The behaviour of each vendor's models, by the part after the slash: `gemini/reason`. `tools` and `reason` call tools
 * until a result says that the work is done.
 */
const MODELS: Readonly<Record<string, ModelEntry & { readonly upstream_model: string }>> = {
  echo: { upstream_model: "echo" },
  tools: { upstream_model: "tools@until=done" },
  reason: { upstream_model: "reason@until=done", ...THINKING },
  vision: { upstream_model: "vision", ...VISION },
  json: { upstream_model: "json" },
  agent: { upstream_model: "everything@until=done", ...THINKING, ...VISION },
};

export async function startFiveVendors(): Promise<FiveVendors> {
  const simulator = await startSimulator({ api_key: VENDOR_KEY });
  const config = {
    catalog: "none",
    vendors: Object.fromEntries(
      PROTOCOLS.map((protocol) => [
        protocol,
        { protocol, base_url: baseUrl(simulator, protocol), api_key: VENDOR_KEY },
      ]),
    ),
    models: Object.fromEntries(
      PROTOCOLS.flatMap((protocol) =>
        Object.entries(MODELS).map(([name, entry]) => [
          `${protocol}/${name}`,
          plainModel({ price: PRICE, ...entry, upstream_model: upstreamModel(protocol, name, entry.upstream_model) }),
        ]),
      ),
    ),
  };
  const gateway = await startGateway({ config: JSON.stringify(config) });
  const { key } = await gateway.newKey({ credit: "1000" });
  return {
    gateway,
    simulator,
    key,
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await simulator.stop();
    },
  };
}

function baseUrl(simulator: Simulator, protocol: VendorProtocol): string {
  if (protocol === "gemini") return `${simulator.url}/v1beta`;
  return protocol === "bedrock-converse" ? simulator.url : simulator.base_url;
}

function upstreamModel(protocol: VendorProtocol, name: string, upstream_model: string): string {
  if (protocol !== "bedrock-converse") return upstream_model;
  // Converse has no format for answers, so JSON is a tool's input there, and the simulator has a model for each. Beside
  // the common shape, Converse takes the fields of the model's maker, above all those for reasoning.
  return name === "json" ? "anthropic.tools" : `anthropic.${upstream_model}`;
}
