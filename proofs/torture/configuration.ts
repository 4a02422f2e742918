import { configurationFor } from "../suites/failures/support/scene.ts";
import { MODELS, PRICE, type TortureModel } from "./models.ts";

/** The gateways' configuration file: every model of the torture, at vendors that are quickly given up. */
export function tortureConfiguration(simulator_url: string, rude_url: string): string {
  const timeouts = { connect: "2s", first_byte: "40s", idle: "2s", total: "60s" };
  return configurationFor(simulator_url, {
    models: Object.fromEntries(MODELS.map((model) => [model.id, entryOf(model)])),
    vendors: {
      acme: { timeouts, protocol: ["chat-completions", "responses", "messages", "decisions"] },
      drains: { timeouts, on_disconnect: "drain" },
      rude: { timeouts, base_url: rude_url, protocol: ["chat-completions"] },
    },
  });
}

function entryOf({ upstream_model, decides, fallbacks }: TortureModel): Record<string, unknown> {
  const price = decides ? { input: String(PRICE.input) } : stringsOf(PRICE);
  return {
    upstream_model,
    price,
    max_completion_tokens: 4096,
    context_length: 100_000,
    ...(decides && { kind: "decision" }),
    ...(fallbacks.length > 0 && { fallbacks }),
  };
}

function stringsOf(prices: Readonly<Record<string, number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, String(price)]));
}
