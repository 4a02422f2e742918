import { expect, test } from "bun:test";
import { generation } from "../../../proofs/support/generation.ts";
import { withObjectSchemas } from "./fit-request.ts";

const fit = (parameters: Record<string, unknown>, strict = false) => {
  const ignored: string[] = [];
  const request = generation({ tools: [{ kind: "function", name: "f", parameters, strict }] });
  return { tools: withObjectSchemas(request, ignored).tools, ignored };
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
