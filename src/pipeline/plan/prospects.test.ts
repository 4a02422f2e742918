import { expect, test } from "bun:test";
import { priceAt } from "../../catalog/prices/price-at.ts";
import type { ProtocolAdapter } from "../../core/answer/exchange.ts";
import type { Configuration, Model, Vendor } from "../../core/catalog/catalog.ts";
import type { Price } from "../../core/money/price.ts";
import { prospectsOf } from "./prospects.ts";

const RELAY = {} as ProtocolAdapter;

function price(version: string, from_ms: number): Price {
  return { version, from_ms } as Price;
}

function model(id: string, vendors: string[], prices: Price[], fallbacks: string[] = []): Model {
  const routes = vendors.map((vendor) => ({ vendor, upstream_model: `${vendor}-m`, weight: 1 }));
  const capabilities = { thinking: false };
  return { id, routes, fallbacks, prices, capabilities, output_modalities: ["text"] } as unknown as Model;
}

const spare = model("b/spare", ["b"], [price("old", 0), price("new", 2000)]);
const main = model("a/main", ["a", "mute", "gone"], [price("only", 0)], ["b/spare", "no/such"]);

function configuration(): Configuration {
  const vendors = ["a", "b"].map((id) => ({
    id,
    quirks: {},
    endpoints: [{ protocol: "responses" }, { protocol: "messages" }],
  }));
  const mute = { id: "mute", quirks: {}, endpoints: [{ protocol: "gemini" }] };
  return {
    vendors: new Map([...vendors, mute].map((vendor) => [vendor.id, vendor as unknown as Vendor])),
    models: new Map([main, spare].map((entry) => [entry.id, entry])),
  } as unknown as Configuration;
}

function deps(now_ms: { at: number }) {
  return {
    configuration: configuration(),
    adapterBetween: (_client: string, vendor: string) => (vendor === "gemini" ? null : RELAY),
    priceAt,
    clock: { now_ms: () => now_ms.at, monotonic_ms: () => 0 },
  };
}

function versions(found: ReturnType<typeof prospectsOf>): string[] {
  return found.prices.map(({ version }) => version);
}

test("are the routes that have a way, by model, at the endpoint of the client's protocol where there is one", () => {
  const { groups } = prospectsOf(deps({ at: 0 }), main, "messages");
  expect(groups.map((each) => each.map(({ vendor, endpoint }) => [vendor.id, endpoint.protocol]))).toEqual([
    [["a", "messages"]],
    [["b", "messages"]],
  ] as never);
  expect(groups[0]?.[0]?.target.upstream_model).toBe("a-m");
});

test("are computed once for each model and protocol", () => {
  const gateway = deps({ at: 0 });
  const found = prospectsOf(gateway, main, "messages");
  expect(prospectsOf(gateway, main, "messages")).toBe(found);
  expect(prospectsOf(gateway, main, "responses")).not.toBe(found);
  expect(prospectsOf(gateway, spare, "messages")).not.toBe(found);
});

test("are computed again when one of their prices takes effect, and when the clock is set back", () => {
  const now_ms = { at: 1000 };
  const gateway = deps(now_ms);
  expect(versions(prospectsOf(gateway, main, "messages"))).toEqual(["only", "old"]);
  now_ms.at = 1999;
  expect(versions(prospectsOf(gateway, main, "messages"))).toEqual(["only", "old"]);
  now_ms.at = 2000;
  expect(versions(prospectsOf(gateway, main, "messages"))).toEqual(["only", "new"]);
  now_ms.at = 1999;
  expect(versions(prospectsOf(gateway, main, "messages"))).toEqual(["only", "old"]);
});

test("have the model's own current price, also where only another model can answer", () => {
  const now_ms = { at: 1999 };
  const gateway = deps(now_ms);
  const dear = model("a/dear", ["gone"], [price("old", 0), price("new", 2000)], ["a/main"]);
  expect(prospectsOf(gateway, dear, "messages").price.version).toBe("old");
  now_ms.at = 2000;
  expect(prospectsOf(gateway, dear, "messages").price.version).toBe("new");
  expect(prospectsOf(gateway, main, "messages").price.version).toBe("only");
});

test("are computed again with another configuration", () => {
  const gateway = deps({ at: 0 });
  const found = prospectsOf(gateway, main, "messages");
  gateway.configuration = configuration();
  const anew = prospectsOf(gateway, main, "messages");
  expect(anew.groups[0]?.[0]?.vendor).toBe(gateway.configuration.vendors.get("a") as Vendor);
  expect(anew).not.toBe(found);
});
