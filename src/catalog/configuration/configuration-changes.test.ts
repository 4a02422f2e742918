import { describe, expect, test } from "bun:test";
import { configurationChanges, isUnchanged, reloadable } from "./configuration-changes.ts";
import { loadConfiguration } from "./load-configuration.ts";

const FILE = `
catalog: none
vendors:
  acme: { base_url: https://acme.example/v1, protocol: chat-completions, api_key: sk-one }
  other: { base_url: https://other.example/v1, protocol: chat-completions, api_key: sk-two }
models:
  acme/swift: { price: { input: "1", output: "2" } }
  other/slow: { price: { input: "1", output: "2" } }
`;

function load(file_text: string) {
  return loadConfiguration({ file_text, file_name: "camino.yaml", env: {} });
}

function changes(after: string) {
  return configurationChanges(load(FILE), load(after));
}

const NONE = { added: [], removed: [], changed: [] };

describe("the differences between two configurations", () => {
  test("is nothing where the same is said in other words", () => {
    const same = changes(FILE.replace('price: { input: "1"', 'price: { input: "1.0"'));
    expect(same).toEqual({ vendors: NONE, models: NONE, aliases: NONE, limits: [] });
    expect(isUnchanged(same)).toBe(true);
  });

  test("is a price by its model, and neither figure", () => {
    const found = changes(FILE.replace('output: "2" } }\n  other', 'output: "3" } }\n  other'));
    expect(found.models).toEqual({ ...NONE, changed: [{ id: "acme/swift", fields: ["prices"] }] });
    expect(isUnchanged(found)).toBe(false);
  });

  test("is a credential by the name of its field alone", () => {
    const found = changes(FILE.replace("sk-one", "sk-three"));
    expect(found.vendors).toEqual({ ...NONE, changed: [{ id: "acme", fields: ["api_key"] }] });
    expect(JSON.stringify(found)).not.toContain("sk-");
  });

  test("is what was added and what was removed", () => {
    const found = changes(FILE.replaceAll("other", "third"));
    expect(found.vendors).toEqual({ added: ["third"], removed: ["other"], changed: [] });
    expect(found.models).toEqual({ added: ["third/slow"], removed: ["other/slow"], changed: [] });
  });

  test("is a limit by its name", () => {
    expect(changes(`${FILE}limits: { default_key: { rpm: 7 } }\n`).limits).toEqual(["default_key"]);
  });
});

test.each([
  ["responses: { keep: 2h }", "responses"],
  ["answers: { cost: hide }", "answers"],
  ["decisions: { surface: vendor }", "decisions"],
  ["cors: { origins: [https://app.example.com] }", "cors"],
  ["clients: { keep_alive: 620s }", "clients"],
  ["retention: { requests: 30d }", "retention, audit"],
  ["audit: { hour: 5 }", "retention, audit"],
  ["cells: { north: { url: postgres://north/camino } }", "cells"],
  ["console: { public_url: https://models.example.com }", "console"],
])("%s waits for a restart, and stays told until then", (line, section) => {
  const running = load(FILE);
  const read = load(`${FILE}${line}\n`.replace('output: "2"', 'output: "9"'));
  const { configuration, after_restart } = reloadable(running, read);
  expect(after_restart).toEqual([section]);
  expect(configuration.models).toEqual(read.models);
  expect({ ...configuration, models: running.models }).toEqual(running);
  expect(reloadable(configuration, read).after_restart).toEqual([section]);
  expect(reloadable(configuration, load(FILE)).after_restart).toEqual([]);
});
