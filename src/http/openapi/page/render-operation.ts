import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { codeBlock, escapeHtml, inlineMarkdown, markdown } from "./html.ts";
import { memberObjects, objectOf, objectsOf, textOf } from "./read-json.ts";
import { renderMembers, typeInWords } from "./render-schema.ts";

export interface OperationPlace {
  readonly method: string;
  readonly path: string;
  readonly operation: JsonObject;
}

/** An operation on the page: its purpose and parameters on the left, snippets and examples on the right. */
export function renderOperation(document: JsonObject, { method, path, operation }: OperationPlace): string {
  const id = escapeHtml(textOf(operation.operationId));
  const told = [
    markdown(textOf(operation.description)),
    renderCredential(operation),
    renderParameters(document, operation),
    renderBody(document, operation),
    renderAnswer(operation),
    renderErrors(operation),
  ];
  const shown = [renderSamples(operation), renderExamples(operation)];
  return `<section class="operation" id="${id}">
<h3><a href="#${id}">${escapeHtml(textOf(operation.summary))}</a></h3>
<p class="route"><span class="method ${method}">${method.toUpperCase()}</span> <code>${escapeHtml(path)}</code></p>
<div class="columns"><div class="told">${told.join("\n")}</div><div class="shown">${shown.join("\n")}</div></div>
</section>`;
}

/** The target of a `$ref`, or the object itself. */
function resolve(document: JsonObject, value: JsonValue | undefined): JsonObject {
  const { $ref } = objectOf(value);
  if (typeof $ref !== "string") return objectOf(value);
  let found: JsonValue | undefined = document;
  for (const step of $ref.slice("#/".length).split("/")) found = objectOf(found)[step];
  return objectOf(found);
}

/** Where the key of a security scheme stands. */
const KEY_HEADERS: Readonly<Record<string, string>> = {
  bearer: "authorization: Bearer",
  management: "authorization: Bearer",
  apiKey: "x-api-key",
  googleKey: "x-goog-api-key",
};

function renderCredential({ security }: JsonObject): string {
  const schemes = objectsOf(security);
  if (schemes.length === 0) return '<p class="credential">No key needed.</p>';
  const places = schemes.flatMap((scheme) => Object.keys(scheme)).map((name) => KEY_HEADERS[name] ?? name);
  return `<p class="credential">Key in ${places.map((place) => `<code>${place}</code>`).join(" or ")}.</p>`;
}

function renderParameters(document: JsonObject, { parameters }: JsonObject): string {
  const rows = objectsOf(parameters).map((reference) => {
    const { name, in: place, required, description, schema } = resolve(document, reference);
    const mark = required === true ? ' <span class="required">required</span>' : "";
    const type = `${escapeHtml(textOf(place))}, ${typeInWords(objectOf(schema))}`;
    const sentence = `<p>${inlineMarkdown(textOf(description))}</p>`;
    return `<li><code class="name">${escapeHtml(textOf(name))}</code> <span class="type">${type}</span>${mark}${sentence}</li>`;
  });
  return rows.length === 0 ? "" : `<h4>Parameters</h4><ul class="members">${rows.join("")}</ul>`;
}

function renderBody(document: JsonObject, { requestBody }: JsonObject): string {
  const media = memberObjects(objectOf(requestBody).content)[0]?.[1];
  return media === undefined ? "" : `<h4>Body</h4>${renderMembers(resolve(document, media.schema))}`;
}

function okOf({ responses }: JsonObject): JsonObject {
  return objectOf(objectOf(responses)["200"]);
}

function renderAnswer(operation: JsonObject): string {
  const { description, content } = okOf(operation);
  const types = memberObjects(content).map(([type, { schema, "x-camino-event": event }]) => {
    const words = isObject(event) ? `events of ${typeInWords(event)}` : typeInWords(objectOf(schema));
    return `<li><code class="name">${escapeHtml(type)}</code> <span class="type">${words}</span></li>`;
  });
  const sentence = `<p>${inlineMarkdown(textOf(description))}</p>`;
  return `<h4>Answer</h4>${sentence}<ul class="members">${types.join("")}</ul>`;
}

function renderErrors({ responses }: JsonObject): string {
  const rows = memberObjects(responses).flatMap(([status, { "x-camino-errors": errors }]) =>
    objectsOf(errors).map((error) => errorRow(status, error)),
  );
  if (rows.length === 0) return "";
  return `<details class="errors"><summary>Errors</summary><ul class="members">${rows.join("")}</ul></details>`;
}

function errorRow(status: string, { type, code, meaning }: JsonObject): string {
  const name = `<span class="status">${escapeHtml(status)}</span> <code class="name">${escapeHtml(textOf(code))}</code>`;
  return `<li>${name} <span class="type">${escapeHtml(textOf(type))}</span><p>${inlineMarkdown(textOf(meaning))}</p></li>`;
}

function renderSamples({ "x-codeSamples": samples }: JsonObject): string {
  const blocks = objectsOf(samples).map(({ label, source, lang }) =>
    codeBlock(textOf(label), textOf(source), ` data-lang="${escapeHtml(textOf(lang))}"`),
  );
  return blocks.length === 0 ? "" : `<div class="samples">${blocks.join("")}</div>`;
}

function renderExamples(operation: JsonObject): string {
  const requests = memberObjects(objectOf(operation.requestBody).content)
    .flatMap(([, { examples }]) => memberObjects(examples))
    .map(([, { summary, value }]) => folded(`Request: ${textOf(summary)}`, pretty(value)));
  const answers = memberObjects(okOf(operation).content).flatMap(([type, { example }]) =>
    example === undefined ? [] : [folded(`Answer: ${type}`, pretty(example))],
  );
  return [...requests, ...answers].join("");
}

function pretty(value: JsonValue | undefined): string {
  return typeof value === "string" ? value.trimEnd() : JSON.stringify(value, null, 2);
}

function folded(label: string, source: string): string {
  return `<details class="example"><summary>${escapeHtml(label)}</summary>${codeBlock(label, source)}</details>`;
}
