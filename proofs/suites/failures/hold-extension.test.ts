import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { type Receipt, type Scene, startScene } from "./support/scene.ts";
import { chat, responses, STYLES, type Style } from "./support/styles.ts";

/** A stream without a cap goes on as long as the wallet can pay for it, and not a micro unit longer. */

/** Far more than a hold without a cap covers: 4,096 tokens (docs/rulings.md 22). */
const TOKENS = 20_000;
const PACED = "acme/paced";
const AT_ONCE = "acme/at-once";
const SPARSE = "acme/sparse";
/** The styles that allow requests without a cap; messages requires one. */
const UNCAPPED = [chat, responses];

let scene: Scene;

beforeAll(async () => {
  scene = await startScene({
    models: {
      [PACED]: { upstream_model: `long@tokens=${TOKENS}&piece=100&ms=1` },
      // A vendor, or a proxy before it, that sends all events at once.
      [AT_ONCE]: { upstream_model: `long@tokens=${TOKENS}&piece=5&fault=one-chunk` },
      // A vendor whose usage has many more tokens than its text.
      [SPARSE]: { upstream_model: "echo@output=90000" },
    },
  });
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

function expectAtPrice({ usage, charge_micro, operator_loss_micro }: Receipt): void {
  if (usage === null) throw new Error("the receipt has no usage");
  expect(charge_micro + operator_loss_micro).toBe(usage.input_tokens + usage.output_tokens * 4);
}

/** The most tokens by which an answer may miss the end of the money: a piece of the stream. */
const OFF_BY_TOKENS = 110;
/** A credit for the first hold and hardly more. */
const CREDIT_MICRO = 4096 * 4 + 1000;
const CREDIT = (CREDIT_MICRO / 1_000_000).toFixed(6);

const cutting = UNCAPPED.flatMap((style) => [PACED, AT_ONCE].map((model) => ({ style, model })));

describe.each(cutting)("$style.endpoint, $model, a wallet that pays for the first hold only", ({ style, model }) => {
  test("is cut in good order, and charged for the delivered part", async () => {
    const key = await scene.newKey({ credit: CREDIT });
    const stream = await (await scene.stream(style, key, model)).finish();
    const { status, ending, broken_law } = stream;
    expect({ status, ending, broken_law }).toEqual({ status: 200, ending: "length", broken_law: null });

    const receipt = await scene.ended(stream.request_id);
    expect(receipt).toMatchObject({ status: "settled", estimated: true, error: null });
    expect(receipt.charge_micro).toBeGreaterThan(CREDIT_MICRO - OFF_BY_TOKENS * 4);
    expect(receipt.operator_loss_micro).toBeLessThan(OFF_BY_TOKENS * 4);
    expect(receipt.charge_micro).toBeLessThanOrEqual(receipt.hold_micro);
    expect(receipt.usage?.output_tokens).toBe(countTokens(stream.text));
    expectAtPrice(receipt);
    expect(await scene.wallet(key)).toMatchObject({
      balance_micro: CREDIT_MICRO - receipt.charge_micro,
      uncollected_micro: 0,
    });
    if (style === responses) expect(stream.received).toContain(`"output_tokens":${receipt.usage?.output_tokens},`);
  });

  test("is cut at a key's budget in the same way, however full the wallet is", async () => {
    const key = await scene.newKey({ credit: "10", budget: { amount: CREDIT, window: "day" } });
    const stream = await (await scene.stream(style, key, model)).finish();
    expect(stream.ending).toBe("length");
    expect((await scene.ended(stream.request_id)).charge_micro).toBeLessThanOrEqual(CREDIT_MICRO);
  });
});

test.each(UNCAPPED)("$endpoint: the vendor's connection is closed when the answer is cut", async (style) => {
  const key = await scene.newKey({ credit: CREDIT });
  await (await scene.stream(style, key, PACED)).finish();
  const seen = scene.simulator.log.requests.findLast(({ protocol }) => protocol === style.protocol);
  expect((await seen?.ended)?.aborted).toBe(true);
});

const paying = STYLES.flatMap((style) => [PACED, AT_ONCE].map((model) => ({ style, model })));

test.each(paying)("$style.endpoint, $model: a wallet that can pay gets the whole answer", async ({ style, model }) => {
  const key = await scene.newKey({ credit: "10" });
  const cap = style.endpoint === "messages" ? { cap: TOKENS + 1 } : {};
  const stream = await (await scene.stream(style, key, model, cap)).finish();
  expect({ ending: stream.ending, length: stream.text.length }).toEqual({ ending: "complete", length: TOKENS * 4 });
  expect(stream.broken_law).toBeNull();
  const receipt = await scene.ended(stream.request_id);
  expect(receipt).toMatchObject({ status: "settled", estimated: false, operator_loss_micro: 0 });
  expect(receipt.usage?.output_tokens).toBe(TOKENS);
  expect(receipt.hold_micro).toBeGreaterThanOrEqual(receipt.charge_micro);
  expectAtPrice(receipt);
});

describe.each(STYLES)("$endpoint, a usage beyond the cap that was sent", (style: Style) => {
  test.each([true, false])("streamed %p: is not believed, and shown as it is billed", async (stream) => {
    const key = await scene.newKey({ credit: "0.020000" });
    const response = await scene.call(style, key, SPARSE, { stream, cap: 4000 });
    expect(response.status).toBe(200);
    const shown = await response.text();
    const receipt = await scene.ended(response.headers.get("x-camino-request-id") ?? "");
    expect(receipt).toMatchObject({ status: "settled", estimated: true, operator_loss_micro: 0 });
    expect(receipt.usage?.output_tokens).toBeLessThan(20);
    expectAtPrice(receipt);
    expect(shown).not.toContain("90000");
    expect(await scene.wallet(key)).toMatchObject({
      balance_micro: 20_000 - receipt.charge_micro,
      uncollected_micro: 0,
    });
  });
});

test("the books are sound after all of it", async () => {
  expect(await scene.gateway.stop()).toBe(0);
  expect((await scene.audit()).problems).toEqual([]);
});
