import { type Complaint, firstOf, type Rule } from "../../rules/rule.ts";
import { isObject, type Json, objectsOf, textOf } from "../read.ts";

/**
 * The JSON schemas that Google refuses. Source: the description of `responseJsonSchema` in its client library, and the
 * error objects of public reports where a row names them.
 */
export const SCHEMA_RULES: readonly Rule[] = [
  {
    // anomalyco/opencode#12295; by the description only names that begin with `$` may stand there.
    refuses: "references beside other keywords of a schema",
    find: ({ body }) =>
      firstOf(nodesOf(body), ({ node }) =>
        typeof node.$ref === "string" && Object.keys(node).some((name) => !name.startsWith("$"))
          ? {
              message: `$ref '${node.$ref}' was set alongside unsupported fields. If a schema node has $ref set, then only description and default can be set alongside it`,
            }
          : null,
      ),
  },
  {
    // google-gemini/gemini-cli#13326.
    refuses: "references to what is no definition of the schema",
    find: ({ body }) =>
      firstOf(nodesOf(body), ({ node, root, at }) => {
        if (typeof node.$ref !== "string") return null;
        const name = /^#\/\$defs\/([\w.-]+)$/.exec(node.$ref)?.[1];
        const is_there = name !== undefined && isObject(root.$defs) && Object.hasOwn(root.$defs, name);
        return is_there ? null : { message: `reference to undefined schema at ${at}` };
      }),
  },
  {
    refuses: "values of a schema that are neither texts nor numbers",
    find: ({ body }) =>
      firstOf(nodesOf(body), ({ node, at }): Complaint | null =>
        Array.isArray(node.enum) && node.enum.some((value) => typeof value !== "string" && typeof value !== "number")
          ? { message: `Invalid value at '${at}.enum': only strings and numbers are supported.` }
          : null,
      ),
  },
  {
    refuses: "definitions that require themselves",
    find: ({ body }) => firstOf(rootsOf(body), endless),
  },
];

function rootsOf(body: Json): Json[] {
  const config = isObject(body.generationConfig) ? body.generationConfig : {};
  const declared = objectsOf(body.tools).flatMap(({ functionDeclarations }) => objectsOf(functionDeclarations));
  return [config.responseJsonSchema, ...declared.map((each) => each.parametersJsonSchema)].filter(isObject);
}

interface SchemaNode {
  readonly node: Json;
  readonly root: Json;
  readonly at: string;
}

function* nodesOf(body: Json): Generator<SchemaNode> {
  for (const root of rootsOf(body)) yield* nodesIn(root, root, "schema");
}

const HOLDS_ONE = ["items", "additionalProperties", "not", "contains", "propertyNames"];
const HOLDS_LIST = ["anyOf", "oneOf", "allOf", "prefixItems"];
const HOLDS_MAP = ["properties", "patternProperties", "$defs"];

function* nodesIn(node: unknown, root: Json, at: string): Generator<SchemaNode> {
  if (!isObject(node)) return;
  yield { node, root, at };
  for (const name of HOLDS_ONE) yield* nodesIn(node[name], root, `${at}.${name}`);
  for (const name of HOLDS_LIST)
    for (const [index, each] of objectsOf(node[name]).entries()) yield* nodesIn(each, root, `${at}.${name}.${index}`);
  for (const name of HOLDS_MAP)
    for (const [key, each] of Object.entries(isObject(node[name]) ? node[name] : {}))
      yield* nodesIn(each, root, `${at}.${name}.${key}`);
}

/** Follows the required members of each definition, recursively: the schemas of tests are not deep. */
function endless(root: Json): Complaint | null {
  const defs = isObject(root.$defs) ? root.$defs : {};
  const leads = (from: string, to: string, seen: Set<string>): boolean =>
    [...nodesIn(defs[from], root, "")].some(({ node }) => {
      const next = textOf(node.$ref).replace("#/$defs/", "");
      if (next === to) return true;
      if (next === "" || seen.has(next)) return false;
      seen.add(next);
      return leads(next, to, seen);
    });
  return firstOf(Object.keys(defs), (name) =>
    firstOf(nodesIn(defs[name], root, name), ({ node, at }) => {
      const required: readonly unknown[] = Array.isArray(node.required) ? node.required : [];
      const members = isObject(node.properties) ? Object.entries(node.properties) : [];
      const cyclic = members.find(
        ([key, member]) =>
          required.includes(key) &&
          [...nodesIn(member, root, "")].some(({ node: { $ref } }) => {
            const next = textOf($ref).replace("#/$defs/", "");
            return next !== "" && (next === name || leads(next, name, new Set()));
          }),
      );
      return cyclic === undefined
        ? null
        : { message: `Cyclic reference in the required property '${cyclic[0]}' of ${at}.` };
    }),
  );
}
