import { expect, test } from "bun:test";
import { seededRandom } from "../../support/seeded-random.ts";
import { drawAccount, GATEWAY_MODELS, GATEWAY_OWN, GATEWAY_TAG, TAG, written } from "./support/limits/draw-account.ts";
import { HeldVendor } from "./support/limits/held-vendor.ts";
import { CREDENTIALS, HIT_PERCENT, LimitHistory, VENDOR_LIMITS } from "./support/limits/limit-history.ts";
import { startNodes } from "./support/limits/nodes.ts";

/**
 * A random history under all limits at once, of tags, models, keys, projects, accounts, the gateway, vendors and credentials, with questions that are asked
 * again, over two nodes of which each is killed once, against a plain model: which limit refuses, what it says and when it opens (docs/rulings.md 176 to 180, 183).
 */

const USUAL_SEED = 41;
const SEED = Number(process.env.LIMITS_SEED ?? USUAL_SEED);
const STEPS = Number(process.env.LIMITS_STEPS ?? 260);
const ACCOUNTS = 3;
const PRICE = { input: "1.00", output: "1.00" };

function configurationOf(base_url: string): string {
  const { spend_micro, ...rates } = VENDOR_LIMITS;
  // By the clocks that are moved.
  const timeouts = { first_byte: "30m", idle: "30m", total: "30m" };
  const spend = `${(spend_micro / 1_000_000).toFixed(6)}/day`;
  return JSON.stringify({
    catalog: "none",
    vendors: {
      acme: {
        ...{ protocol: ["chat-completions"], base_url, timeouts, limits: { ...rates, spend } },
        api_keys: CREDENTIALS.map(({ key, ...limits }) => ({ key, limits })),
      },
      side: { protocol: ["chat-completions"], base_url, timeouts, api_key: "sk-side-0123456789" },
    },
    models: { "acme/swift": { price: PRICE, routing: { sticky: "off" } }, "side/calm": { price: PRICE } },
    limits: {
      default_key: { rpm: 1_000_000, concurrent: 10_000 },
      models: Object.fromEntries(GATEWAY_MODELS.map(({ models, limits }) => [models, written(limits)])),
      tags: { [TAG]: { ...written(GATEWAY_TAG), values: { own: GATEWAY_OWN } } },
    },
    cache: { charge: HIT_PERCENT, longest: "30d" },
  });
}

test.each([
  // What is read of SQLite's own clock stays real, so that a history may not begin far from it.
  ["sqlite", () => Date.now()],
  // A month ends with a week, soon.
  ["postgres", () => Date.parse("2027-01-30T12:00:00Z")],
] as const)(
  "two nodes on %s refuse what a plain model refuses, whichever of them is killed",
  async (database, start) => {
    await using vendor = new HeldVendor();
    const config = configurationOf(await vendor.listen());
    await using nodes = await startNodes(database, config, start());
    const random = seededRandom(SEED);
    const { gateway } = nodes;
    const { key: plain } = await gateway.newKey();
    const poor = await gateway.newKey({ budget: { amount: "0.000001", window: "once" } });
    const accounts = [];
    for (let n = 0; n < ACCOUNTS; n += 1) accounts.push(await drawAccount(gateway, random));
    const history = new LimitHistory({ nodes, vendor, accounts, plain, random });
    try {
      await history.begin(poor.key);
      for (let step = 0; step < STEPS; step += 1) {
        if (step === Math.floor(STEPS / 3)) await history.kill(0);
        if (step === Math.floor((2 * STEPS) / 3)) await history.kill(1);
        await history.step();
      }
      await history.end();
    } catch (thrown) {
      throw new Error(`with the seed ${SEED}, after ${history.steps.slice(-30).join("\n")}`, { cause: thrown });
    }
    if (SEED === USUAL_SEED) expectAllKinds([...history.seen.keys()]);
    expect(history.seen.get("unsure") ?? 0).toBeLessThan(STEPS / 5);
    expect((await nodes.audit()).problems).toEqual([]);
  },
  240_000,
);

/** Not every seed draws accounts that meet every kind. */
function expectAllKinds(seen: readonly string[]): void {
  const kinds = new Set(seen.map((name) => name.split(" ").at(-1) ?? ""));
  expect([...kinds]).toEqual(expect.arrayContaining(["requests", "concurrency", "budget_exceeded", "unavailable"]));
  // Rules of the gateway by model refuse, and answers that are given again pass and are refused, each by its own price.
  for (const name of [/^gateway for a model /, /^hit admitted$/, /^hit .* (requests|tokens|budget_exceeded)$/])
    expect(seen).toContainEqual(expect.stringMatching(name));
}
