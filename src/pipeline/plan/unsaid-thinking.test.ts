import { expect, test } from "bun:test";
import fc from "fast-check";
import { loadConfiguration } from "../../catalog/configuration/load-configuration.ts";
import type { Model } from "../../core/catalog/catalog.ts";
import { micro } from "../../core/money/money.ts";
import { costOf } from "../../core/money/price.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import { grantOutput } from "../../ledger/books/grant-output.ts";
import { type HoldSize, holdFor, LARGEST_OUTPUT_TOKENS } from "../../ledger/hold.ts";
import { isSeen, streamsAll } from "./seen-output.ts";

/** A model whose row says nothing of thinking may do so where nobody sees it: its hold covers that, too (docs/rulings.md 170). */

const silentRows = fc.record(
  {
    price: fc.record(
      { input: fc.nat(50), output: fc.nat(200), output_reasoning: fc.nat(200) },
      { requiredKeys: ["input", "output"] },
    ),
    context_length: fc.integer({ min: 2000, max: 2_000_000 }),
    max_completion_tokens: fc.integer({ min: 1, max: 400_000 }),
    capabilities: fc.record({ tools: fc.boolean(), json: fc.boolean(), vision: fc.boolean() }, { requiredKeys: [] }),
  },
  { requiredKeys: ["price"] },
);

const requests = fc.record({
  stream: fc.boolean(),
  body: fc.constantFrom(
    {},
    { reasoning_effort: "none" },
    { reasoning_effort: "low" },
    { reasoning: { effort: "none" } },
  ),
  input_bound_tokens: fc.nat(500_000),
  output_cap: fc.option(fc.integer({ min: 1, max: 400_000 })),
  choices: fc.integer({ min: 1, max: 4 }),
  takes_cap: fc.boolean(),
});

type Row = typeof silentRows extends fc.Arbitrary<infer Value> ? Value : never;
type Asked = typeof requests extends fc.Arbitrary<infer Value> ? Value : never;

/** The models of rows: the silent one, and a neighbour that says that it does not reason. */
function modelsOf(row: Row, capabilities: object): readonly Model[] {
  const models = {
    "acme/silent": { ...row, capabilities: { ...row.capabilities, ...capabilities } },
    "acme/plain": { ...row, price: { input: 0, output: 0 }, capabilities: { thinking: false } },
  };
  const vendors = { acme: { protocol: "chat-completions", base_url: "http://127.0.0.1:9/v1" } };
  const file_text = JSON.stringify({ catalog: "none", vendors, models });
  return [...loadConfiguration({ file_text, file_name: "camino.yaml", env: {} }).models.values()];
}

function heldFor(asked: Asked, models: readonly Model[]): HoldSize {
  const routes = models.flatMap((model) => model.prices.map((price) => ({ model, price })));
  const [model] = models;
  if (model === undefined) throw new Error("a model is asked");
  const is_seen = isSeen(asked, { streams_all: models.every(streamsAll), routes });
  return holdFor(asked, { is_seen, takes_cap: asked.takes_cap, model, routes });
}

/** What the silent model charges where all of its output is reasoning that nobody sees. */
function hiddenCost([model]: readonly Model[], { choices, input_bound_tokens }: Asked, each_tokens: number) {
  const price = model?.prices[0];
  if (model === undefined || price === undefined) throw new Error("a model has a price");
  const output_tokens = each_tokens * choices;
  const input_tokens = Math.min(input_bound_tokens, model.context_length ?? input_bound_tokens);
  return costOf({ ...NO_USAGE, input_tokens, output_tokens, reasoning_tokens: output_tokens }, price);
}

test("a hold covers whatever a model of which nothing is said can hide, and is no less than that of one that reasons", () => {
  fc.assert(
    fc.property(silentRows, requests, (row, asked) => {
      const models = modelsOf(row, {});
      const size = heldFor(asked, models);
      const largest = row.max_completion_tokens ?? row.context_length ?? LARGEST_OUTPUT_TOKENS;
      const most = (asked.takes_cap ? asked.output_cap : null) ?? largest;
      expect(size.covers_output).toBe(true);
      expect(size.hold_micro).toBeGreaterThanOrEqual(hiddenCost(models, asked, most));
      const reasons = heldFor(asked, modelsOf(row, { thinking: true }));
      expect(size).toEqual(reasons);
    }),
  );
});

test("a smaller hold, where a wallet pays for no more, covers whatever the model can hide within the cap that it is sent", () => {
  const spendable = fc.bigInt({ min: 0n, max: 10n ** 9n }).map(micro);
  fc.assert(
    fc.property(silentRows, requests, spendable, (row, asked, spendable_micro) => {
      const models = modelsOf(row, {});
      const { allowance } = heldFor(asked, models);
      const granted = allowance && grantOutput(allowance, spendable_micro);
      if (!granted) return;
      const sent_cap = Math.floor(granted.output_tokens / asked.choices);
      expect(granted.hold_micro).toBeGreaterThanOrEqual(hiddenCost(models, asked, sent_cap));
    }),
  );
});
