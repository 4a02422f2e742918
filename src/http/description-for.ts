import type { ModelKind } from "../core/catalog/catalog.ts";
import type { EdgeDeps } from "./context.ts";
import { buildOpenApi, SAMPLE_MODELS } from "./openapi/build-openapi.ts";
import { DOCS_POLICY, docsPage } from "./openapi/docs-page.ts";

const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": DOCS_POLICY,
  "referrer-policy": "no-referrer",
};

/** The API's description, as a document and as a page. */
export interface Description {
  readonly base_url: string;
  readonly configuration: EdgeDeps["pipeline"]["configuration"];
  readonly openapi: string;
  readonly page: string;
  readonly page_headers: Readonly<Record<string, string>>;
}

/** The last description: nearly all readers use one address, and models rarely change. */
let description: Description | null = null;

/** The API's description with snippets for the address that the reader used. */
export function descriptionFor(deps: EdgeDeps, base_url: string): Description {
  const { configuration } = deps.pipeline;
  if (description?.base_url === base_url && description.configuration === configuration) return description;
  const document = buildOpenApi({ version: deps.version, base_url, ...sampleModels(deps) });
  description = {
    base_url,
    configuration,
    openapi: JSON.stringify(document),
    page: docsPage(document),
    page_headers: PAGE_HEADERS,
  };
  return description;
}

/** Models of this gateway's catalogue, in place of those samples that it lacks. */
function sampleModels({ pipeline: { configuration } }: EdgeDeps): Partial<Record<keyof typeof SAMPLE_MODELS, string>> {
  const models = [...configuration.models.values()].filter(({ unlisted }) => unlisted === undefined);
  const first = (of: ModelKind) => models.find(({ kind }) => kind === of)?.id;
  const chat = first("chat");
  const stand_ins = {
    ...{ model_a: chat, model_b: chat, model_e: first("embedding") },
    model_c: models.find(({ completions }) => completions === true)?.id,
    ...{ model_r: first("rerank"), model_m: first("moderation") },
    ...{
      model_s: first("speech"),
      model_i: first("image"),
      model_t: first("transcription"),
      model_d: first("decision"),
    },
  };
  const missing = Object.entries(stand_ins).filter(
    ([name, id]) => id !== undefined && !configuration.models.has(SAMPLE_MODELS[name as keyof typeof SAMPLE_MODELS]),
  );
  return Object.fromEntries(missing);
}
