import type { EdgeDeps, EdgeRequest } from "./context.ts";
import { buildOpenApi, SAMPLE_MODELS } from "./openapi/build-openapi.ts";
import { DOCS_POLICY, docsPage } from "./openapi/docs-page.ts";
import { idHeaders, JSON_TYPE } from "./respond.ts";

/** Answers what operators and tools ask for: health, readiness, metrics, the API's description. */
export async function answerOperations(deps: EdgeDeps, edge: EdgeRequest, draining: boolean): Promise<Response> {
  const headers = { ...idHeaders(edge.ids), "cache-control": "no-store" };
  switch (edge.match.row.name) {
    case "healthz":
      return Response.json({ status: "ok", version: deps.version }, { headers });
    case "readyz":
      return await readiness(deps, headers, draining);
    case "metrics":
      return new Response(await deps.metrics.registry.metrics(), {
        headers: { ...headers, "content-type": deps.metrics.registry.contentType },
      });
    case "openapi":
      return new Response(descriptionFor(deps, edge).openapi, { headers: { ...headers, "content-type": JSON_TYPE } });
    default:
      return new Response(descriptionFor(deps, edge).page, { headers: { ...headers, ...PAGE_HEADERS } });
  }
}

const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": DOCS_POLICY,
  "x-content-type-options": "nosniff",
};

interface Description {
  readonly base_url: string;
  readonly configuration: EdgeDeps["configuration"];
  readonly openapi: string;
  readonly page: string;
}

/** The last description that was made: nearly all who ask use one address, and models rarely change. */
let description: Description | null = null;

/** The API's description with snippets for the address that the reader came by. */
function descriptionFor(deps: EdgeDeps, { request }: EdgeRequest): Description {
  const base_url = new URL(request.url).origin;
  const { configuration } = deps;
  if (description?.base_url === base_url && description.configuration === configuration) return description;
  const document = buildOpenApi({ version: deps.version, base_url, ...sampleModels(deps) });
  description = { base_url, configuration, openapi: JSON.stringify(document), page: docsPage(document) };
  return description;
}

/** A model that answers here, where the document's own samples are not in the catalogue. */
function sampleModels({ configuration }: EdgeDeps): Partial<Record<keyof typeof SAMPLE_MODELS, string>> {
  const models = [...configuration.models.values()];
  const chat = models.find(({ kind }) => kind === "chat")?.id;
  const decision = models.find(({ kind }) => kind === "decision")?.id;
  const stand_ins = { model_a: chat, model_b: chat, model_d: decision };
  const missing = Object.entries(stand_ins).filter(
    ([name, id]) => id !== undefined && !configuration.models.has(SAMPLE_MODELS[name as keyof typeof SAMPLE_MODELS]),
  );
  return Object.fromEntries(missing);
}

async function readiness(deps: EdgeDeps, headers: Record<string, string>, draining: boolean): Promise<Response> {
  if (draining) return Response.json({ status: "draining" }, { status: 503, headers });
  try {
    await deps.store.ping();
    return Response.json({ status: "ready" }, { headers });
  } catch (thrown) {
    deps.log.error({ err: thrown }, "the database does not answer");
    return Response.json({ status: "database unreachable" }, { status: 503, headers });
  }
}
