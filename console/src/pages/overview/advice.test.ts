import { expect, test } from "bun:test";
import { failingCredentials, idleModels } from "./advice.ts";

const vendor = { id: "openai", name: "OpenAI", credential: { stored: null }, health: null };
const healthWith = (status: number | null) => ({ last_error: { status } });

test("a credential fails where the vendor's latest error refuses it, and not where it was busy", () => {
  const found = failingCredentials([
    vendor,
    { ...vendor, id: "busy", health: healthWith(503) },
    { ...vendor, id: "refusing", health: healthWith(401) },
    { ...vendor, id: "forbidding", health: healthWith(403) },
  ]);
  expect(found.map(({ vendor: id }) => id)).toEqual(["refusing", "forbidding"]);
});

test("a stored credential that cannot be opened fails, too", () => {
  const credential = { stored: { problem: "another secret" } };
  expect(failingCredentials([{ ...vendor, credential }])).toHaveLength(1);
});

const MODELS = [
  { model: "ours/called", source: "own" },
  { model: "ours/idle", source: "own" },
  { model: "openai/gpt", source: "bundled" },
] as const;
const REPORT = { groups: [{ id: "ours/called" }], group_count: 1, before: { requests: 5 } };

test("an own model that nobody calls is told, of a gateway that is old enough", () => {
  expect(idleModels(MODELS, REPORT)).toEqual(["ours/idle"]);
  expect(idleModels(MODELS, { ...REPORT, before: { requests: 0 } })).toEqual([]);
  expect(idleModels(MODELS, { ...REPORT, group_count: 2 })).toEqual([]);
});
