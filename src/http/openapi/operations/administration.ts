import { ADMINISTRATION, type AdministrationCall } from "../../../../contract/administration.ts";
import { CONSOLE_API, ErrorBody } from "../../../../contract/common.ts";
import { SCOPES } from "../../../../contract/permissions.ts";
import { scopeOf } from "../../../../contract/route-scopes.ts";
import { isObject, type JsonObject } from "../../../core/json.ts";
import type { Components } from "../schemas/components.ts";

/** The paths of the administration API, from the contract that its client is made of too. */
export function administrationPaths(base_url: string, components: Components): JsonObject {
  const paths: JsonObject = {};
  for (const [name, call] of Object.entries(ADMINISTRATION) as [string, AdministrationCall][]) {
    const [method = "", path = ""] = name.split(" ");
    const full = CONSOLE_API + path;
    const operation = operationOf({ method, path, base_url }, call, components);
    paths[full] = { ...(paths[full] as JsonObject | undefined), [method.toLowerCase()]: operation };
  }
  return paths;
}

interface CallPlace {
  readonly method: string;
  /** Below /console/api. */
  readonly path: string;
  readonly base_url: string;
}

function operationOf(place: CallPlace, call: AdministrationCall, components: Components): JsonObject {
  const { method, path } = place;
  const scope = scopeOf(method, path);
  const needed = scope === null || scope === "self" ? "The admin token" : `Scope \`${scope}\`: ${SCOPES[scope]}`;
  const parameters = [...pathParameters(path), ...queryParameters(call, components)];
  return {
    operationId: call.id,
    tags: ["Administration"],
    summary: call.summary,
    description: `${needed}.`,
    security: [{ management: [] }],
    "x-camino-scope": scope,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(call.body === undefined ? {} : { requestBody: bodyOf(call.body, components) }),
    responses: { [String(call.status ?? 200)]: answerOf(call, components), default: refusal(components) },
    "x-codeSamples": [{ lang: "shell", label: "curl", source: curl(place, call) }],
  };
}

function pathParameters(path: string): JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters({ query }: AdministrationCall, components: Components): JsonObject[] {
  if (query === undefined) return [];
  const { properties, required = [] } = components.place(query);
  if (!isObject(properties)) return [];
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: (required as string[]).includes(name),
    schema: schema ?? {},
  }));
}

function bodyOf(schema: object, components: Components): JsonObject {
  return { required: true, content: { "application/json": { schema: components.place(schema) } } };
}

function answerOf({ answer, summary }: AdministrationCall, components: Components): JsonObject {
  return { description: summary, content: { "application/json": { schema: components.place(answer) } } };
}

function refusal(components: Components): JsonObject {
  const schema = components.place(ErrorBody);
  return { description: "A refusal, with its reason.", content: { "application/json": { schema } } };
}

function curl({ method, path, base_url }: CallPlace, { body, query }: AdministrationCall): string {
  const address = `${base_url}${CONSOLE_API}${path.replace(/\{(\w+)\}/g, (_whole, name: string) => `$${name.toUpperCase()}`)}`;
  // A key of the whole gateway says which account it means.
  const asked = takesAccount(query) ? "?account=$ACCOUNT_ID" : "";
  const verb = method === "GET" ? "" : ` -X ${method}`;
  const data = body === undefined ? "" : ` \\\n  -H "content-type: application/json" -d @body.json`;
  return `curl${verb} "${address}${asked}" \\\n  -H "authorization: Bearer $MANAGEMENT_KEY"${data}`;
}

function takesAccount(query: unknown): boolean {
  return isObject(query) && isObject(query.properties) && "account" in query.properties;
}
