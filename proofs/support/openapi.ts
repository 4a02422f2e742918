import { Errors } from "typebox/schema";
import { isObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";
import { openApiOfTheRun } from "./openapi-of-the-run.ts";

/** Checks answers against the OpenAPI document. */

const document = await openApiOfTheRun();
const components = document.components as JsonObject;
const paths = document.paths as JsonObject;

/** The path as the document names it, `/v1/models/{model}`; null for an unknown path. */
function templateOf(path: string): string | null {
  const bare = path.split("?")[0] ?? "";
  if (bare in paths) return bare;
  return Object.keys(paths).find((template) => patternOf(template).test(bare)) ?? null;
}

/** The paths of a template, whose parameters may have a slash: ids of models have one. */
function patternOf(template: string): RegExp {
  const parts = template.split(/\{[^}]*\}/).map((part) => RegExp.escape(part));
  return new RegExp(`^${parts.join(".+")}$`);
}

function at(value: JsonValue | undefined, ...steps: string[]): JsonValue | undefined {
  return steps.reduce<JsonValue | undefined>(
    (found, step) => (isObject(found) ? (found[step] as JsonValue) : undefined),
    value,
  );
}

/**
 * The differences between an answer and the document: a status that the operation does not have, another content type,
 * a body or an event that contradicts its schema. Empty for operations that the document does not have.
 */
export function undocumented(
  request: { readonly method: string; readonly path: string },
  answer: { readonly status: number; readonly content_type: string; readonly text: string },
): string[] {
  const template = templateOf(request.path);
  const operation = template === null ? undefined : at(paths, template, request.method.toLowerCase());
  if (operation === undefined) return [];
  const response = at(operation, "responses", String(answer.status));
  if (response === undefined) return [`${request.method} ${template} has no status ${answer.status}`];
  const content = at(response, "content", answer.content_type);
  if (content === undefined) return [`${answer.status} of ${template} is not ${answer.content_type}`];
  if (answer.content_type === "text/event-stream") {
    const data = answer.text.match(/^data: ?\{.*$/gm) ?? [];
    return data.flatMap((line) => problems(at(content, "x-camino-event"), JSON.parse(line.slice("data:".length))));
  }
  return answer.content_type === "application/json" ? problems(at(content, "schema"), JSON.parse(answer.text)) : [];
}

/** The dialect of OpenAPI 3.1. Where a schema does not name it, each reference is looked for in the whole document: nine tenths of a check. */
export const DIALECT = "https://json-schema.org/draft/2020-12/schema";

function problems(schema: JsonValue | undefined, value: unknown): string[] {
  if (!isObject(schema)) return ["there is no schema"];
  const [passed, errors] = Errors({ ...schema, components, $schema: DIALECT }, value);
  return passed ? [] : [`${JSON.stringify(value).slice(0, 400)}: ${JSON.stringify(errors).slice(0, 600)}`];
}
