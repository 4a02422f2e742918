import { describe, expect, test } from "bun:test";
import { Check, Compile, Errors, Meta } from "typebox/schema";
import { ADMINISTRATION } from "../../../contract/administration.ts";
import { CONSOLE_API } from "../../../contract/common.ts";
import { SCOPES } from "../../../contract/permissions.ts";
import { documentedRows } from "../../../proofs/support/documented-errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { ROUTES } from "../paths/routes.ts";
import { buildOpenApi } from "./build-openapi.ts";
import { docsPage } from "./docs-page.ts";
import { memberObjects, objectOf, objectsOf, textOf } from "./page/read-json.ts";

const document = buildOpenApi({
  version: "1.2.3",
  base_url: "https://gateway.example",
  model_a: "acme/a",
  model_b: "acme/b",
  model_e: "acme/e",
  model_s: "acme/s",
  model_i: "acme/i",
  model_c: "acme/c",
  model_r: "acme/r",
  model_t: "acme/t",
  model_m: "acme/m",
  model_d: "acme/d",
});
const components = objectOf(document.components);
const schemas = memberObjects(components.schemas);

interface Found {
  readonly method: string;
  readonly path: string;
  readonly operation: JsonObject;
}

const everything: Found[] = memberObjects(document.paths).flatMap(([path, methods]) =>
  memberObjects(methods).map(([method, operation]) => ({ method, path, operation })),
);
/** The endpoints of clients, and those of programs that administer. */
const operations = everything.filter(({ path }) => !path.startsWith(CONSOLE_API));
const administration = everything.filter(({ path }) => path.startsWith(CONSOLE_API));
const byId = new Map(operations.map(({ operation }) => [textOf(operation.operationId), operation]));

/** All objects in the document that have this member. */
function having(key: string, value: JsonValue | undefined = document): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((item) => having(key, item));
  if (!isObject(value)) return [];
  const inside = Object.values(value).flatMap((member) => having(key, member));
  return Object.hasOwn(value, key) ? [value, ...inside] : inside;
}

function resolve(pointer: string): JsonValue | undefined {
  let found: JsonValue | undefined = document;
  for (const step of pointer.slice("#/".length).split("/")) found = objectOf(found)[step];
  return found;
}

/** A schema of the document together with all schemas that it refers to. */
/** Where a schema does not name its dialect, each reference is looked for in the whole document. */
const DIALECT = "https://json-schema.org/draft/2020-12/schema";

function standalone(schema: JsonObject): JsonObject {
  return { ...schema, components, $schema: DIALECT };
}

function expectValid(schema: JsonObject, value: JsonValue | undefined): void {
  const [valid, errors] = Errors(standalone(schema), value);
  expect(errors).toEqual([]);
  expect(valid).toBe(true);
}

describe("the document's routes", () => {
  const documented = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort();

  test("are exactly the server's routes", () => {
    const served = ROUTES.map(({ method, path }) => `${method} ${path}`);
    expect(documented).toEqual(served.sort());
  });

  test("have operation ids that occur once", () => {
    expect(new Set(everything.map(({ operation }) => operation.operationId)).size).toBe(everything.length);
    for (const id of byId.keys()) expect(id).toMatch(/^[a-z]+[A-Za-z]+$/);
  });

  test.each(operations)("$method $path has exactly the parameters of its path", ({ path, operation }) => {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
    const declared = objectsOf(operation.parameters)
      .map(({ $ref }) => objectOf(resolve(textOf($ref))))
      .filter((parameter) => parameter.in === "path");
    expect(declared.map(({ name }) => name)).toEqual(inPath);
    for (const parameter of declared) expect(parameter.required).toBe(true);
  });

  test.each(operations)("$method $path has a tag of the document, a summary, a 200 and snippets", ({ operation }) => {
    const tags = objectsOf(document.tags).map(({ name }) => textOf(name));
    expect(operation.tags).toHaveLength(1);
    expect(tags).toContain((operation.tags as string[])[0] ?? "");
    expect(textOf(operation.summary)).not.toBe("");
    expect(objectOf(operation.responses)).toHaveProperty("200");
    for (const { source } of objectsOf(operation["x-codeSamples"])) {
      expect(textOf(source)).toContain("https://gateway.example");
      expect(textOf(source)).not.toContain("{{");
    }
  });

  test.each(operations)("$method $path names security schemes that the document has", ({ operation }) => {
    for (const scheme of objectsOf(operation.security))
      for (const name of Object.keys(scheme)) expect(objectOf(components.securitySchemes)).toHaveProperty(name);
  });
});

describe("the administration API", () => {
  test("is the contract's, each call with its scope, a path's parameters, and answers that have a schema", () => {
    const names = administration.map(({ method, path }) => `${method.toUpperCase()} ${path.slice(CONSOLE_API.length)}`);
    expect(names.toSorted()).toEqual(Object.keys(ADMINISTRATION).toSorted());
    for (const { path, operation } of administration) {
      expect(SCOPES).toHaveProperty(textOf(operation["x-camino-scope"]));
      expect(textOf(operation.description)).toContain(textOf(operation["x-camino-scope"]));
      const in_path = objectsOf(operation.parameters).filter((parameter) => parameter.in === "path");
      expect(in_path.map(({ name }) => name)).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name));
      const schemas = memberObjects(operation.responses).map(([, { content }]) =>
        objectOf(objectOf(objectOf(content)["application/json"]).schema),
      );
      for (const schema of schemas) expect(() => Compile(standalone(schema))).not.toThrow();
      expect(schemas).toHaveLength(2);
    }
  });

  test("is on the page for people", () => {
    const page = docsPage(document);
    for (const { path } of administration) expect(page).toContain(path);
  });
});

describe("the document's shape", () => {
  test("is plain JSON: nothing is lost or changed on the wire", () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
    expect(document.openapi).toBe("3.1.0");
    expect(objectOf(document.info).version).toBe("1.2.3");
  });

  test("has no reference without a target, and no component without a reference", () => {
    const references = having("$ref").map(({ $ref }) => textOf($ref));
    for (const reference of references) expect([reference, resolve(reference)]).not.toEqual([reference, undefined]);
    const kinds = ["schemas", "parameters", "headers"] as const;
    const named = kinds.flatMap((kind) =>
      Object.keys(objectOf(components[kind])).map((name) => `#/components/${kind}/${name}`),
    );
    expect(named.filter((name) => !references.includes(name))).toEqual([]);
  });

  test.each(["Response", "Client", "AuthenticatedClient", "File", "Unset"])(
    "has no schema named %s, which would hide a type of the programs that openapi-python-client generates",
    (name) => expect(objectOf(components.schemas)).not.toHaveProperty(name),
  );

  test.each(schemas)("%s is a JSON Schema", (_name, schema) => {
    expect(Check(Meta[DIALECT], schema)).toBe(true);
    expect(() => Compile(standalone(schema))).not.toThrow();
  });

  test.each([
    "ChatCompletionRequest",
    "ResponsesRequest",
    "MessagesRequest",
    "GenerateContentRequest",
    "DecisionsRequest",
    "SystemOneRequest",
  ])("%s describes each member", (name) => {
    const members = memberObjects(objectOf(objectOf(components.schemas)[name]).properties);
    expect(members.length).toBeGreaterThan(3);
    expect(members.filter(([, member]) => textOf(member.description) === "").map(([member]) => member)).toEqual([]);
  });
});

describe("the document's examples", () => {
  const media = operations.flatMap(({ method, path, operation }) =>
    having("schema", operation).map((found, index) => ({ name: `${method} ${path} #${index}`, found })),
  );

  test.each(media)("of $name agree with their schema", ({ found }) => {
    const schema = objectOf(found.schema);
    if (found.example !== undefined) expectValid(schema, found.example);
    for (const [, { value }] of memberObjects(found.examples)) expectValid(schema, value);
  });

  test("agree with the schema of a stream's events, event by event", () => {
    const streams = having("x-camino-event");
    expect(streams).toHaveLength(8);
    for (const { example, "x-camino-event": event } of streams) {
      const data = textOf(example).match(/^data: .*$/gm) ?? [];
      expect(data.length).toBeGreaterThan(1);
      for (const line of data.filter((line) => line !== "data: [DONE]"))
        expectValid(objectOf(event), JSON.parse(line.slice("data: ".length)));
    }
  });

  test("are refused by this check when a member is missing", () => {
    const request = objectOf(objectOf(components.schemas).ChatCompletionRequest);
    expect(Check(standalone(request), { model: "acme/a", messages: [{ role: "user", content: "x" }] })).toBe(true);
    expect(Check(standalone(request), { model: "acme/a" })).toBe(false);
    expect(Check(standalone(request), { model: "acme/a", messages: [{ role: "robot", content: "x" }] })).toBe(false);
  });
});

describe("the document's errors", () => {
  const ALSO = [
    "model_not_supported_on_endpoint",
    "missing_tag",
    "request_timeout",
    "request_too_large",
    "unsupported_content_encoding",
  ];
  const IDEMPOTENCY = ["idempotency_key_reused", "idempotency_in_progress"];

  function codesOf(operation_id: string): string[] {
    return having("x-camino-errors", byId.get(operation_id))
      .flatMap(({ "x-camino-errors": errors }) => objectsOf(errors))
      .map(({ code }) => textOf(code))
      .sort();
  }

  function codesIn(section: string): string[] {
    return documentedRows(section).map(({ code }) => code);
  }

  test.each([
    ["createChatCompletion", "7.1"],
    ["createResponse", "7.2"],
    ["createMessage", "7.3"],
    ["generateContent", "7.9"],
    ["streamGenerateContent", "7.9"],
    ["createDecision", "7.4"],
    ["createSystemOneDecision", "7.4"],
  ])("of %s are those of docs/api.md %s and the additions", (operation_id, section) => {
    const expected = new Set([...codesIn(section), ...ALSO, ...IDEMPOTENCY]);
    expect(codesOf(operation_id)).toEqual([...expected].sort());
  });

  test("of counting tokens are those of messages without the errors that only a charge can cause", () => {
    const expected = [...codesIn("7.3"), ...ALSO].filter(
      (code) => code !== "insufficient_balance" && code !== "missing_tag",
    );
    expect(codesOf("countMessageTokens")).toEqual(expected.sort());
  });

  test("of the catalog and the account together are those of docs/api.md 7.5", () => {
    const together = ["listModels", "retrieveModel", "getUsage", "getCredits", "retrieveRequest"].flatMap(codesOf);
    expect([...new Set(together)].sort()).toEqual(codesIn("7.5").sort());
  });

  test.each(["retrieveResponse", "deleteResponse", "listInputItems"])("of %s are those of docs/api.md 7.7", (id) => {
    expect(codesOf(id)).toEqual(codesIn("7.7").sort());
  });

  test("are listed under their status", () => {
    for (const { operation } of operations)
      for (const [status, response] of memberObjects(operation.responses)) {
        if (status === "200") continue;
        expect(status).toMatch(/^[45]\d\d$/);
        expect(objectsOf(response["x-camino-errors"])).not.toHaveLength(0);
      }
  });
});
