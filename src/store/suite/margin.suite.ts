import { expect, test } from "bun:test";
import { micro } from "../../core/money/money.ts";
import { newCustomer, PRICE, type TestDatabase } from "./books.ts";
import { answeredBy, ask, count, SETTLED } from "./traffic-scene.ts";

export function marginTests(database: () => TestDatabase): void {
  test("has a cost at the vendor, and so a margin, where the vendor's price is known or was recorded", async () => {
    const customer = await newCustomer(database(), 10_000);
    await count(database());
    await customer.settle(await customer.hold(), { ...SETTLED, outcome: answeredBy("acme") });
    await customer.settle(await customer.hold(), { ...SETTLED, outcome: answeredBy("other") });
    const upstream_cost_micro = micro(7);
    await customer.settle(await customer.hold(), {
      ...SETTLED,
      outcome: { ...answeredBy("other"), upstream_cost_micro },
    });
    await count(database(), { "acme/swift acme swift-1": [{ ...PRICE, output_micro_per_mtok: 1_000_000 }] });
    const { total } = await ask(customer);
    expect(total).toMatchObject({ charge_micro: micro(120), costed_micro: micro(80), upstream_micro: micro(25 + 7) });
  });

  test("has the cost of its model's own route, where two models share one of the vendor's", async () => {
    const customer = await newCustomer(database(), 10_000);
    await count(database());
    for (const model of ["acme/swift", "acme/swift-cheap", "acme/swift-unknown"])
      await customer.settle(await customer.hold({ model }), { ...SETTLED, model, outcome: answeredBy("acme") });
    await count(database(), {
      "acme/swift acme swift-1": [{ ...PRICE, output_micro_per_mtok: 1_000_000 }],
      "acme/swift-cheap acme swift-1": [{ ...PRICE, input_micro_per_mtok: 0, output_micro_per_mtok: 1_000_000 }],
    });
    const { groups } = await ask(customer, { group: "model" });
    expect(Object.fromEntries(groups.map(({ id, upstream_micro }) => [id, upstream_micro]))).toEqual({
      "acme/swift": micro(25),
      "acme/swift-cheap": micro(21),
      "acme/swift-unknown": micro(0),
    });
  });
}
