import type { Target } from "../../src/core/answer/exchange.ts";
import type {
  Capabilities,
  Model,
  Sampling,
  Vendor,
  VendorEndpoint,
  VendorQuirks,
} from "../../src/core/catalog/catalog.ts";
import type { Protocol } from "../../src/core/endpoints.ts";
import { makerOf } from "../../src/protocols/shared/issuer.ts";

/** The members of a target that tests vary. */
export interface TargetOptions {
  readonly model_id?: string;
  readonly upstream_model?: string;
  readonly capabilities?: Partial<Capabilities>;
  readonly mid_system?: boolean;
  readonly sampling?: Sampling;
  readonly input_modalities?: readonly string[];
  readonly quirks?: VendorQuirks;
  readonly forwards_safety_identifier?: boolean;
  readonly endpoint?: Partial<VendorEndpoint>;
}

const CAPABILITIES: Capabilities = { streaming: true, tools: true, json: true, vision: true, thinking: false };

/** One candidate of the routing: a model at a vendor that speaks `protocol`. */
export function targetFor(protocol: Protocol, options: TargetOptions = {}): Target {
  const vendor = vendorFor(protocol, options);
  const endpoint = { protocol, base_url: "http://127.0.0.1:1/v1", credential: "bearer", ...options.endpoint } as const;
  return { model: modelFor(options), vendor, endpoint, upstream_model: options.upstream_model ?? "upstream-1" };
}

function modelFor(options: TargetOptions): Model {
  const { model_id = "acme/swift", capabilities = {}, mid_system, sampling, input_modalities = ["text"] } = options;
  return {
    id: model_id,
    display_name: "Swift",
    owned_by: "acme",
    created: 1,
    kind: "chat",
    context_length: 200_000,
    max_completion_tokens: 64_000,
    input_modalities,
    output_modalities: ["text"],
    capabilities: { ...CAPABILITIES, ...capabilities },
    ...(mid_system !== undefined && { mid_system }),
    ...(sampling !== undefined && { sampling }),
    prices: [],
    routes: [],
    fallbacks: [],
  };
}

function vendorFor(protocol: Protocol, { quirks = {}, forwards_safety_identifier = true }: TargetOptions): Vendor {
  return {
    id: "acme",
    name: "Acme",
    endpoints: [{ protocol, base_url: "http://127.0.0.1:1/v1", credential: "bearer" }],
    api_key: null,
    headers: {},
    timeouts: { connect_ms: 1, first_byte_ms: 1, idle_ms: 1, total_ms: 1 },
    on_disconnect: "abort",
    forwards_safety_identifier,
    quirks,
    // Most tests are about the values of the protocol's maker.
    issuer: makerOf(protocol) ?? "acme",
  };
}
