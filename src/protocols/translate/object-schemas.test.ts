import { expect, test } from "bun:test";
import { generation } from "../../../proofs/support/generation.ts";
import type { Protocol } from "../../core/endpoints.ts";
import { withObjectSchemas } from "./fit-request.ts";

const fit = (parameters: Record<string, unknown>, strict = false, protocol: Protocol = "messages") => {
  const ignored: string[] = [];
  const request = generation({ tools: [{ kind: "function", name: "f", parameters, strict }] });
  return { tools: withObjectSchemas(request, protocol, ignored).tools, ignored };
};

test("a tool whose parameters are no object is refused by its name", () => {
  expect(() => fit({ type: "array", items: {} })).toThrow(
    `'tools' has the tool "f", whose schema is no object; allowed: the JSON Schema of an object.`,
  );
});

test("a strict tool with alternatives is strict no longer, and that is named", () => {
  const [tool] = fit({ type: "object", oneOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }, true).tools;
  expect(tool).toMatchObject({ strict: false, parameters: { type: "object", properties: { a: {}, b: {} } } });
  expect(fit({ type: "object", oneOf: [{}] }, true).ignored).toEqual(["tools.strict"]);
  expect(fit({ type: "object", properties: {} }, true).ignored).toEqual([]);
});

test.each<[Protocol, object]>([
  ["chat-completions", { type: "array", items: {} }],
  ["responses", { type: "array", items: {} }],
  ["messages", { type: "array" }],
])("a list that does not say what it holds, for a vendor of %s, is %j", (protocol, list) => {
  const schema = { type: "object", properties: { a: { type: "array" } } };
  expect(fit(schema, false, protocol).tools).toMatchObject([{ parameters: { properties: { a: list } } }]);
  const is_mended = "items" in list;
  const strict = fit(schema, true, protocol);
  expect(strict.tools).toMatchObject([{ strict: !is_mended }]);
  expect(strict.ignored).toEqual(is_mended ? ["tools.strict"] : []);
});
