import { expect, test } from "bun:test";
import type { Configuration, Model, Vendor } from "../core/catalog/catalog.ts";
import { candidatesOf } from "./candidates.ts";

function model(id: string, routes: [vendor: string, weight: number][], fallbacks: string[] = []): Model {
  return {
    id,
    routes: routes.map(([vendor, weight]) => ({ vendor, upstream_model: `${vendor}-m`, weight })),
    fallbacks,
  } as unknown as Model;
}

const main = model(
  "a/main",
  [
    ["a", 3],
    ["b", 1],
  ],
  ["c/spare", "d/gone"],
);
const spare = model("c/spare", [["c", 1]]);
const configuration = {
  vendors: new Map(["a", "b", "c"].map((id) => [id, { id } as unknown as Vendor])),
  models: new Map([main, spare].map((entry) => [entry.id, entry])),
} as unknown as Configuration;

function order(random: number): string[] {
  return candidatesOf(main, configuration, () => random).map(({ vendor }) => vendor.id);
}

test("the first route is drawn by its share of the weights, and all others follow it", () => {
  expect([order(0), order(0.74), order(0.76)]).toEqual([
    ["a", "b", "c"],
    ["a", "b", "c"],
    ["b", "a", "c"],
  ]);
});

test("fallbacks come last, with the model that would answer", () => {
  expect(candidatesOf(main, configuration, () => 0).at(-1)?.model.id).toBe("c/spare");
});

test("a route to a vendor that is not enabled is not a candidate", () => {
  expect(candidatesOf(model("x/y", [["nobody", 1]]), configuration, () => 0)).toEqual([]);
});
