import { expect, test } from "bun:test";
import { offeredElement } from "./offered-element.ts";

const source = { kind: "vendor", name: "Acme", as_of: null } as const;

test("an offered model costs what its vendor says, else what was typed, and its price follows that with the markup", () => {
  const markup = { follows: "upstream", markup: { percent: "20" } };
  const known = {
    proposals: [{ source, element: { context_length: 1000, price: { input: "1.00", output: "4.00" } } }],
  };
  const given = { cost: { input: "3", output: "1,5" }, percent: "20" };
  expect(offeredElement(known, given)).toEqual({
    context_length: 1000,
    cost: { input: "1.00", output: "4.00" },
    price: markup,
  });
  const unknown = { proposals: [{ source: { ...source, kind: "none" as const }, element: {} }] };
  expect(offeredElement(unknown, given)).toEqual({ cost: { input: "3.00", output: "1.50" }, price: markup });
});
