import { describe, expect, test } from "bun:test";
import { Errors } from "typebox/schema";
import { keyRecord } from "../../../proofs/support/key-record.ts";
import { loadConfiguration } from "../../catalog/configuration/load-configuration.ts";
import { listModels, modelObject, plainReader } from "../../catalog/names/model-objects.ts";
import { ERRORS, type ErrorCode, GatewayError } from "../../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { RequestRecord } from "../../core/ledger/ledger.ts";
import { micro, ZERO } from "../../core/money/money.ts";
import { NO_UNITS } from "../../core/money/price-classes.ts";
import type { UsageTotals } from "../../core/store/ports.ts";
import { creditsObject, usageObject } from "../../ledger/account-objects.ts";
import { receiptObject } from "../../ledger/receipt.ts";
import { styleAError, styleBError } from "../../protocols/shared/error-styles.ts";
import { buildOpenApi } from "./build-openapi.ts";
import { objectOf } from "./page/read-json.ts";

/** The members of real answers against the document's schemas: none is missing, and none is undocumented. */

const components = objectOf(buildOpenApi({ version: "0" }).components);
const schemas = objectOf(components.schemas);

function expectDocumented(name: string, answer: unknown): void {
  const schema = objectOf(schemas[name]);
  const value: JsonValue = JSON.parse(JSON.stringify(answer));
  expect(Errors({ ...schema, components }, value)).toEqual([true, []]);
  expect(undocumented(schema, value)).toEqual([]);
}

/** The paths of a value's members that the schema does not have. */
function undocumented(schema: JsonObject, value: JsonValue | undefined, path = ""): string[] {
  const { $ref, anyOf, properties, items } = schema;
  if (typeof $ref === "string") return undocumented(objectOf(schemas[$ref.split("/").at(-1) ?? ""]), value, path);
  if (Array.isArray(value)) return value.flatMap((item) => undocumented(objectOf(items), item, `${path}[]`));
  if (Array.isArray(anyOf)) {
    const found = anyOf.map((one) => undocumented(objectOf(one), value, path));
    return value === null ? [] : (found.find(({ length }) => length === 0) ?? found[0] ?? []);
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const inside = objectOf(properties)[key];
    return isObject(inside) ? undocumented(inside, member, `${path}.${key}`) : [`${path}.${key}`];
  });
}

const configuration = loadConfiguration({
  file_name: "camino.yaml",
  env: {},
  file_text: `
catalog: none
vendors:
  acme: { protocol: chat-completions, base_url: "https://api.acme.example/v1" }
models:
  acme/bare: { price: { input: 1, output: 2 } }
  acme/full:
    created: 2026-09-01
    context_length: 200000
    max_completion_tokens: 32000
    input_modalities: [text, image]
    capabilities: { reasoning: { toggle: true, effort: [low, high], budget_tokens: { min: 1024, max: 32000 } } }
    price: { input: 3, output: 15, tiers: [ { above_input_tokens: 200000, input: 6, output: 22.5 } ] }
`,
});

const key = keyRecord({
  aliases: [{ name: "fast", model: "acme/bare" }],
  prefix_aliases: [{ prefix: "claude-", model: "acme/full" }],
});

const PLAIN = plainReader(0);
const STYLE_B = { ...PLAIN, is_style_b: true };

describe("the catalog answers as documented", () => {
  test.each(["acme/bare", "acme/full", "fast", "claude-anything"])("model %s", (name) => {
    expectDocumented("Model", modelObject(configuration, key, name, PLAIN));
    expectDocumented("Model", modelObject(configuration, key, name, STYLE_B));
  });

  test.each([null, "chat", "decision", "all"] as const)("list with kind %p", (kind) => {
    expectDocumented("ModelList", JSON.parse(listModels(configuration, key, kind, PLAIN)));
    expectDocumented("ModelList", JSON.parse(listModels(configuration, key, kind, STYLE_B)));
  });
});

const price = configuration.models.get("acme/full")?.prices[0];
const record: RequestRecord = {
  id: "req_1",
  client_request_id: null,
  account_id: "acct_1",
  key_id: "key_1",
  project_id: null,
  endpoint: "messages",
  stream: true,
  requested_model: "fast",
  model: "acme/full",
  status: "settled",
  outcome: "answered",
  error: null,
  usage: { input_tokens: 1, cache_read_tokens: 2, cache_write_tokens: 3, output_tokens: 5, reasoning_tokens: 4 },
  estimated: false,
  late: false,
  price: price ?? { version: "", from_ms: 0, tiers: [], ...noPrices() },
  hold_micro: micro(1000),
  extended_micro: micro(0),
  charge_micro: micro(100),
  operator_loss_micro: ZERO,
  upstream_cost_micro: null,
  attempts: [
    {
      vendor: "acme",
      upstream_model: "full",
      status: null,
      error: "model_unavailable",
      first_byte_ms: null,
      duration_ms: 3,
    },
    { vendor: "acme", upstream_model: "full", status: 200, error: null, first_byte_ms: 1.5, duration_ms: 20.25 },
  ],
  created_ms: 1_795_219_200_123,
  ended_ms: 1_795_219_201_000,
  queue_ms: 0.5,
  hook_ms: null,
  first_byte_ms: 2,
  duration_ms: 21,
};

function noPrices() {
  return {
    input_micro_per_mtok: 0,
    output_micro_per_mtok: 0,
    cache_read_micro_per_mtok: 0,
    cache_write_micro_per_mtok: 0,
  };
}

describe("the account answers as documented", () => {
  test("a receipt of an answered request", () => {
    expectDocumented("Request", receiptObject(record, "USD"));
  });

  test("a receipt of a running request", () => {
    const running = {
      ...record,
      status: "held",
      usage: null,
      queue_ms: null,
      first_byte_ms: null,
      duration_ms: null,
    } as const;
    expectDocumented("Request", receiptObject({ ...running, attempts: [] }, "USD"));
  });

  test("a receipt of a failed request", () => {
    expectDocumented("Request", receiptObject({ ...record, status: "voided", error: "provider_error" }, "USD"));
  });

  test("a receipt of a decision that took many calls", () => {
    const attempts = record.attempts.map((attempt) => ({ ...attempt, calls: 7, failures: 1 }));
    expectDocumented("Request", receiptObject({ ...record, attempts, upstream_cost_micro: micro(12) }, "USD"));
  });

  test("usage and credits, with and without a wallet", () => {
    const totals: UsageTotals = {
      cost_micro: micro(5),
      prompt_tokens: 1,
      completion_tokens: 2,
      request_count: 2,
      success_count: 1,
      ...{ ...NO_UNITS, images: 3 },
    };
    expectDocumented(
      "Usage",
      usageObject({ daily: totals, weekly: totals, monthly: totals }, "USD", { hits: 2, misses: 1, saved_micro: 5n }),
    );
    expectDocumented("Credits", creditsObject({ balance_micro: micro(5), held_micro: ZERO }, "USD"));
    expectDocumented("Credits", creditsObject(null, "USD"));
  });
});

describe("errors are answered as documented", () => {
  test.each(Object.keys(ERRORS) as ErrorCode[])("%s, in both styles", (code) => {
    const error = new GatewayError(code, "what was found; what is allowed", { param: "messages[0]" });
    expectDocumented("StyleAError", styleAError(error));
    expectDocumented("StyleBError", styleBError(error, "req_1"));
  });
});
