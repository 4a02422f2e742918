import { describe, expect, test } from "bun:test";
import { loadConfiguration } from "../configuration/load-configuration.ts";
import { readVendorList } from "../offers/read-vendor-list.ts";
import { priceAt } from "../prices/price-at.ts";
import { modelPricing } from "./model-pricing.ts";

/** What a model costs as clients of OpenRouter read it (docs/rulings.md 231). */

const KINDS = `
catalog: none
vendors: { acme: { protocol: [chat-completions, rerank], base_url: "http://127.0.0.1:1/v1" } }
models:
`;

function pricingOf(row: string) {
  const file_text = `${KINDS}  acme/one: ${row}\n`;
  const [model] = loadConfiguration({ file_text, file_name: "camino.yaml", env: {} }).models.values();
  if (model === undefined) throw new Error("there is no model");
  return { price: priceAt(model, 0), pricing: modelPricing(priceAt(model, 0)) };
}

describe("a price of one", () => {
  test.each([
    ["a token", "{ price: { input: 3, output: 15 } }", { prompt: "0.000003", completion: "0.000015", request: "0" }],
    ["the cheapest token", "{ price: { input: 0.000001, output: 0 } }", { prompt: "0.000000000001", completion: "0" }],
    ["a dear token", "{ price: { input: 1000000, output: 2500000 } }", { prompt: "1", completion: "2.5" }],
    [
      "a token of a cache",
      "{ price: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 } }",
      { input_cache_read: "0.0000003", input_cache_write: "0.00000375" },
    ],
    [
      "a token of sound",
      "{ price: { input: 1, output: 2, input_audio: 40, output_audio: 80 } }",
      { audio: "0.00004", audio_output: "0.00008" },
    ],
    ["a search of the web", "{ price: { input: 1, output: 2, calls: { web_search: 10 } } }", { web_search: "0.01" }],
    ["a character", "{ kind: speech, price: { input_characters: 15 } }", { input_characters: "0.000015" }],
    ["a minute", "{ kind: transcription, price: { input_minutes: 0.006 } }", { input_minutes: "0.006" }],
    ["an image", "{ kind: image, price: { images: 0.04 } }", { images: "0.04" }],
    [
      "an image of other sizes",
      "{ kind: image, price: { images: { default: 0.04, 1024x1024/high: 0.17 } } }",
      { images: "0.04" },
    ],
    ["a search", "{ kind: rerank, price: { searches: 2 } }", { searches: "0.002" }],
  ])("%s", (_, row, pricing) => {
    expect(pricingOf(row).pricing).toMatchObject(pricing);
  });

  test("is what a gateway reads that has this one as its vendor", () => {
    const { price, pricing } = pricingOf(
      "{ price: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75, calls: { web_search: 10 } } }",
    );
    const read = readVendorList(JSON.stringify({ data: [{ id: "acme/one", pricing }] }))?.models[0]?.price;
    expect(read).toMatchObject({
      input: price.input_micro_per_mtok,
      output: price.output_micro_per_mtok,
      cache_read: price.cache_read_micro_per_mtok,
      cache_write: price.cache_write_micro_per_mtok,
      calls: price.calls_micro_per_kcall,
    });
  });
});
