import type { EdgeDeps, EdgeRequest } from "./context.ts";
import { buildOpenApi } from "./openapi/build-openapi.ts";
import { docsPage } from "./openapi/docs-page.ts";
import { idHeaders, JSON_TYPE } from "./respond.ts";

let openapi_text: string | null = null;
let docs_text: string | null = null;

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
      openapi_text ??= JSON.stringify(buildOpenApi({ version: deps.version }));
      return new Response(openapi_text, { headers: { ...headers, "content-type": JSON_TYPE } });
    default:
      docs_text ??= docsPage(buildOpenApi({ version: deps.version }));
      return new Response(docs_text, { headers: { ...headers, ...PAGE_HEADERS } });
  }
}

/** A page of our own: nothing from elsewhere, no framing. Its style is inline and named by hash in the page itself. */
const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
};

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
