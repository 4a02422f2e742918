import { describe, expect, test } from "bun:test";
import { bundledModels } from "../bundled/bundled-models.ts";
import type { ConfigurationError } from "../reading/problem.ts";
import { loadConfiguration } from "./load-configuration.ts";

/** Prices of a configuration file that follow the vendors' prices (docs/configuration.md "A price that follows"). */

const env = { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" };
const VENDORS =
  "vendors:\n  acme: { protocol: chat-completions, base_url: https://api.acme.example/v1 }\n  beta: { protocol: chat-completions, base_url: https://beta.example/v1 }\n  judge: { protocol: systemone, base_url: https://judge.example/v1 }\n";
const load = (models: string, top = "") =>
  loadConfiguration({ file_text: `${top}${VENDORS}models:\n${models}`, file_name: "camino.yaml", env }).models;
const BUNDLED = [...bundledModels("anthropic").keys()][0] ?? "";

function problemsOf(models: string, top = ""): string {
  try {
    load(models, top);
    return "";
  } catch (thrown) {
    return (thrown as ConfigurationError).message;
  }
}

describe("a price that follows", () => {
  test("follows the bundled catalog's price of the model", () => {
    const [cost] = bundledModels("anthropic").get(BUNDLED)?.prices ?? [];
    const model = load(`  ${BUNDLED}: { price: { follows: upstream, markup: { percent: 20 } } }\n`).get(BUNDLED);
    expect(model?.prices[0]?.input_micro_per_mtok).toBe(Math.ceil((cost?.input_micro_per_mtok ?? 0) * 1.2));
    expect(model?.prices[0]?.output_micro_per_mtok).toBe(Math.ceil((cost?.output_micro_per_mtok ?? 0) * 1.2));
    expect(model?.markups).toEqual([
      {
        from_ms: 0,
        until_ms: null,
        factor_millionths: 1_200_000,
        add_input_micro_per_mtok: 0,
        add_output_micro_per_mtok: 0,
      },
    ]);
  });

  test("is at cost without a markup", () => {
    const model = load(`  ${BUNDLED}: { price: { follows: upstream } }\n`).get(BUNDLED);
    expect(model?.prices[0]?.version).toBe(bundledModels("anthropic").get(BUNDLED)?.prices?.[0]?.version);
  });

  test("follows the dearest of several routes, whose costs the file states", () => {
    const model = load(`
  ours/swift:
    price: { follows: upstream, markup: { percent: 12.5%, add: { input: 0.05, output: 0.10 } } }
    cost: { input: 1.00, output: 4.00 }
    routes:
      - { vendor: acme, upstream_model: swift }
      - { vendor: beta, upstream_model: swift-b, cost: { input: 0.80, output: 5.00, cache_read: 0.08 } }
`).get("ours/swift");
    expect(model?.prices).toHaveLength(1);
    expect(model?.prices[0]).toMatchObject({
      input_micro_per_mtok: 1_175_000,
      output_micro_per_mtok: 5_725_000,
      // The route to acme has no price of its own for cache reads: they cost the input's.
      cache_read_micro_per_mtok: 1_175_000,
    });
    expect(model?.routes.map(({ cost }) => cost?.[0]?.output_micro_per_mtok)).toEqual([4_000_000, 5_000_000]);
  });

  test("stands in a list with dates, beside prices with figures, and follows the vendor's dates", () => {
    const model = load(`
  acme/swift:
    price:
      - { input: 2.00, output: 2.00 }
      - { from: 2027-01-01, follows: upstream, markup: { add: 1.00 } }
      - { from: 2027-06-01, input: 9.00, output: 9.00 }
    cost:
      - { input: 1.00, output: 1.00 }
      - { from: 2027-03-01, input: 3.00, output: 1.00 }
      - { from: 2027-07-01, input: 5.00, output: 1.00 }
`).get("acme/swift");
    const days = model?.prices.map(({ from_ms, input_micro_per_mtok: input }) => [
      new Date(from_ms).toISOString().slice(0, 10),
      input,
    ]);
    expect(days).toEqual([
      ["1970-01-01", 2_000_000],
      ["2027-01-01", 2_000_000],
      ["2027-03-01", 4_000_000],
      ["2027-06-01", 9_000_000],
    ]);
  });

  test("is charged for a decision's input alone", () => {
    const model = load(
      "  judge/d: { kind: decision, cost: { input: 1.00 }, price: { follows: upstream, markup: { percent: 10, add: 0.50 } } }\n",
    ).get("judge/d");
    expect(model?.prices[0]).toMatchObject({ input_micro_per_mtok: 1_600_000, output_micro_per_mtok: 0 });
  });

  const follow = "price: { follows: upstream }";
  test.each([
    [
      `  acme/swift: { ${follow} }\n`,
      "",
      'models.acme/swift.price: found follows: upstream, and no cost of "acme:swift" is known; allowed: the cost of each route',
    ],
    [
      `  ${BUNDLED}: { ${follow} }\n`,
      "currency: EUR\n",
      "is known; allowed: the cost of each route: Camino knows its bundled models' in USD",
    ],
    [
      "  acme/s: { price: { follows: downstream } }\n",
      "",
      'models.acme/s.price.follows: found "downstream"; allowed: upstream',
    ],
    [
      "  acme/s: { price: { follows: upstream, input: 3 } }\n",
      "",
      'the unknown key "input"; allowed: follows, markup, from',
    ],
    [
      "  acme/s: { price: { follows: upstream, markup: 20 } }\n",
      "",
      'models.acme/s.price.markup: found "20"; allowed: a map with percent, add',
    ],
    ["  acme/s: { price: { follows: upstream, markup: { percent: -1 } } }\n", "", "a percentage from 0 to 10000"],
    ["  acme/s: { price: { follows: upstream, markup: { percent: 1.23456 } } }\n", "", "at most four decimals"],
    ["  acme/s: { price: { follows: upstream, markup: { percent: 10001 } } }\n", "", "a percentage from 0 to 10000"],
    [
      "  acme/s: { price: { follows: upstream, markup: { add: -1 } } }\n",
      "",
      'models.acme/s.price.markup.add: found "-1"',
    ],
    [
      "  acme/s: { price: { follows: upstream, markup: { add: { cache_read: 1 } } } }\n",
      "",
      'the unknown key "cache_read"; allowed: input, output',
    ],
    [
      `  acme/s: { ${follow}, cost: { follows: upstream } }\n`,
      "",
      "models.acme/s.cost: found follows; allowed: figures",
    ],
    [
      "  acme/s: { cost: { input: 900000000, output: 1 }, price: { follows: upstream, markup: { percent: 900 } } }\n",
      "",
      "a markup with which no price is above 1000000000",
    ],
    [
      "  acme/s: { cost: { input: 1, output: 1 }, price: [{ follows: upstream }, { input: 1, output: 1 }] }\n",
      "",
      "a second price from the same date",
    ],
    [
      `  ours/d: { kind: decision, decide_with: { engine: logprobs, model: acme/s }, ${follow} }\n  acme/s: { price: { input: 1, output: 1 } }\n`,
      "",
      "found follows on a model that decides with another; allowed: figures",
    ],
  ])("is refused in words: %s %s", (models, top, message) => {
    expect(problemsOf(models, top)).toContain(message);
  });
});
