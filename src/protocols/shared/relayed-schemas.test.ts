import { expect, test } from "bun:test";
import { relayedSchemas } from "./relayed-schemas.ts";

const PLAIN = `{ "type":"object","properties":{"n":{"maximum":1.10}}}`;
const UNION = `{"type":"object","anyOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}`;
const MERGED = {
  type: "object",
  description: "The arguments fit at least one of these:\n1. optional: a\n2. optional: b",
  properties: { a: {}, b: {} },
};
const tool = (schema: string) =>
  `{ "type":"function", "function":{"name":"f", "parameters":${schema} ,"strict":false}}`;
const relay = (text: string) => relayedSchemas(JSON.parse(text), ["function", "parameters"], () => text);

test("only the schema with alternatives at its root is written anew", () => {
  const sent = `[ ${tool(PLAIN)} , ${tool(UNION)},{"type":"custom","custom":{"name":"c"}}]`;
  expect(relay(sent)).toBe(sent.replace(UNION, JSON.stringify(MERGED)));
});

test("plain objects and what is no object stay as they were sent, and nobody reads their text", () => {
  expect(
    relayedSchemas([JSON.parse(tool(PLAIN)), JSON.parse(tool('{"type":"array"}'))], ["function", "parameters"], () => {
      throw new Error("looked at");
    }),
  ).toBeNull();
});

test("numbers of a schema that is written anew keep their digits", () => {
  const member = '{"a":{"maximum":98765432109876543210,"multipleOf":1.10,"default":1e3}}';
  const sent = `[${tool(`{"type":"object","anyOf":[{"properties":${member}},{"required":["a"]}]}`)}]`;
  expect(relay(sent)).toContain(`"properties":${member}`);
});
