import { expect, test } from "bun:test";
import { bundledModels } from "../../catalog/bundled/bundled-models.ts";
import type { VendorUse } from "../../core/ledger/books-audit.ts";
import { compareBill } from "./compare-bill.ts";
import { describeComparison } from "./describe-bill.ts";
import { parseBill } from "./read-bill.ts";
import { UsageTally } from "./usage-tally.ts";

const DAY = 20_667; // 2026-08-02

function use(fields: Partial<VendorUse> = {}): VendorUse {
  return {
    ...{ day: DAY, vendor: "acme", upstream_model: "swift-1", price_version: "own" },
    ...{ requests: 2, estimated: 0, by_engine: 0, input_tokens: 1000, output_tokens: 500 },
    ...{ priced_micro: 40n, engine_micro: 0n },
    ...fields,
  };
}

function compared(bill: string, uses: readonly VendorUse[], vendor: string | null = null, tolerance = 0.01) {
  const tally = new UsageTally(vendor);
  for (const each of uses) tally.add(each);
  return compareBill(parseBill(`day,model,input_tokens,output_tokens,cost\n${bill}`), tally, tolerance);
}

test("a bill and the usage of requests agree within the tolerance", () => {
  expect(compared("2026-08-02,swift-1,1009,500,9", [use()]).differences).toEqual([]);
  const { differences } = compared("2026-08-02,swift-1,1020,480,9", [use()]);
  expect(differences).toMatchObject([
    { day: "2026-08-02", model: "swift-1", what: "input_tokens", billed: 1020, ours: 1000 },
    { what: "output_tokens", billed: 480, ours: 500 },
  ]);
});

test("a row on one side alone is a difference; another vendor's usage is not compared", () => {
  const uses = [use(), use({ upstream_model: "swift-2" }), use({ vendor: "other", upstream_model: "their" })];
  const { differences, vendors } = compared("2026-08-02,swift-1,1000,500,\n2026-08-03,swift-1,7,8,", uses);
  expect(vendors).toEqual(["acme"]);
  expect(differences).toMatchObject([
    { day: "2026-08-02", model: "swift-2", what: "input_tokens", billed: 0, ours: 1000 },
    { day: "2026-08-02", model: "swift-2", what: "output_tokens", billed: 0, ours: 500 },
    { day: "2026-08-03", model: "swift-1", what: "input_tokens", billed: 7, ours: 0 },
    { day: "2026-08-03", model: "swift-1", what: "output_tokens", billed: 8, ours: 0 },
  ]);
  expect(compared("2026-08-02,swift-1,1000,500,", uses, "other").vendors).toEqual([]);
});

test("money is compared where requests were charged at the vendor's own prices, beyond a cent", () => {
  const [model] = [...bundledModels("openai").values()].filter(({ prices }) => prices !== null);
  const price_version = model?.prices?.[0]?.version ?? "";
  const openai = use({ vendor: "openai", price_version, priced_micro: 2_000_000n });
  expect(compared("2026-08-02,swift-1,1000,500,2.009", [openai]).differences).toEqual([]);
  expect(compared("2026-08-02,swift-1,1000,500,2.5", [openai]).differences).toMatchObject([
    { what: "cost_micro", billed: 2_500_000, ours: 2_000_000 },
  ]);
  // Some of the requests had another price, so what they cost the operator is not known.
  const with_other = [openai, { ...openai, price_version: "own" }];
  expect(compared("2026-08-02,swift-1,2000,1000,9", with_other).differences).toEqual([]);
});

test("the engine's calls count with what they cost, and their tokens with nothing", () => {
  const engine = use({ by_engine: 2, input_tokens: 0, output_tokens: 0, priced_micro: 0n, engine_micro: 300_000n });
  expect(compared("2026-08-02,swift-1,5000,40,0.3", [engine]).differences).toEqual([]);
  expect(compared("2026-08-02,swift-1,5000,40,0.4", [engine]).differences).toMatchObject([
    { what: "cost_micro", billed: 400_000, ours: 300_000, by_engine: 2 },
  ]);
});

test("the comparison is told as a table with what to make of it", () => {
  const text = describeComparison(compared("2026-08-02,swift-1,2000,500,", [use({ estimated: 1 })]));
  expect(text).toContain("2026-08-02  swift-1  input tokens  2000  1000        1000  2 (1 estimated)");
  expect(text).toContain("1 difference above 1 %");
  expect(describeComparison(compared("2026-08-02,swift-1,1000,500,", [use()]))).toContain("none more than 1 % off");
});
