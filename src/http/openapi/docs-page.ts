import type { JsonObject } from "../../core/json.ts";
import { escapeHtml, markdown, slug } from "./page/html.ts";
import { memberObjects, objectOf, objectsOf, textOf } from "./page/read-json.ts";
import { type OperationPlace, renderOperation } from "./page/render-operation.ts";
import { renderMembers, typeInWords } from "./page/render-schema.ts";

const style = await Bun.file(new URL("./page/style.css", import.meta.url)).text();
const script = await Bun.file(new URL("./page/reference.js", import.meta.url)).text();

function sha256(text: string): string {
  return `'sha256-${new Bun.CryptoHasher("sha256").update(text).digest("base64")}'`;
}

/** The content security policy for the page: its own style and script, by their hashes, and nothing else. */
export const DOCS_POLICY = [
  "default-src 'none'",
  `style-src ${sha256(style)}`,
  `script-src ${sha256(script)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The API reference as one HTML page that loads nothing, written from the OpenAPI document. */
export function docsPage(document: JsonObject): string {
  const { title, version, description } = objectOf(document.info);
  const name = escapeHtml(textOf(title));
  const groups = groupsOf(document);
  const schemas = memberObjects(objectOf(document.components).schemas);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name} API reference</title>
<style>${style}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><a class="brand" href="/docs">${name}</a> <span class="version">${escapeHtml(textOf(version))}</span>
<a class="document" href="/openapi.json">openapi.json</a></header>
<nav aria-label="Operations">${renderNavigation(groups, schemas)}</nav>
<main id="content">
<h1>API reference</h1>
<div class="intro">${markdown(textOf(description))}<p>Address: <code>${escapeHtml(textOf(objectsOf(document.servers)[0]?.url))}</code></p></div>
${groups.map((group) => renderGroup(document, group)).join("\n")}
<section class="group" id="schemas"><h2>Schemas</h2>${schemas.map(renderSchema).join("\n")}</section>
</main>
<script>${script}</script>
</body>
</html>
`;
}

interface TagGroup {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly OperationPlace[];
}

/** The operations grouped by tag, in the order of the document's tags. */
function groupsOf({ tags, paths }: JsonObject): TagGroup[] {
  const places = memberObjects(paths).flatMap(([path, methods]) =>
    memberObjects(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  return objectsOf(tags).map(({ name, description }) => ({
    name: textOf(name),
    description: textOf(description),
    operations: places.filter(
      ({ operation }) => Array.isArray(operation.tags) && operation.tags.includes(textOf(name)),
    ),
  }));
}

function renderNavigation(groups: readonly TagGroup[], schemas: readonly [string, JsonObject][]): string {
  const parts = groups.map(({ name, operations }) => {
    const links = operations.map(({ method, path, operation }) => {
      const text = `<span class="method ${method}">${method}</span> ${escapeHtml(textOf(operation.summary))}`;
      return `<li data-path="${escapeHtml(path)}"><a href="#${escapeHtml(textOf(operation.operationId))}">${text}</a></li>`;
    });
    return `<h2>${escapeHtml(name)}</h2><ul>${links.join("")}</ul>`;
  });
  const named = schemas.map(([name]) => `<li><a href="#schema-${slug(name)}">${escapeHtml(name)}</a></li>`);
  return `<details open><summary>Contents</summary>${parts.join("")}<h2>Schemas</h2><ul>${named.join("")}</ul></details>`;
}

function renderGroup(document: JsonObject, { name, description, operations }: TagGroup): string {
  const sections = operations.map((place) => renderOperation(document, place)).join("\n");
  const head = `<h2>${escapeHtml(name)}</h2>${markdown(description)}`;
  return `<section class="group" id="${slug(name)}">${head}${sections}</section>`;
}

function renderSchema([name, schema]: [string, JsonObject]): string {
  const members = renderMembers(schema) || `<p class="type">${typeInWords(schema)}</p>`;
  const head = `<h3>${escapeHtml(name)}</h3>${markdown(textOf(schema.description))}`;
  return `<section class="schema" id="schema-${slug(name)}">${head}${members}</section>`;
}
