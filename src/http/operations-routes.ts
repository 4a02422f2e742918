import type { EdgeDeps, EdgeRequest } from "./context.ts";
import type { Description } from "./openapi/description-for.ts";
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
      return new Response((await describe(deps, edge)).openapi, { headers: { ...headers, "content-type": JSON_TYPE } });
    default: {
      const { page, page_headers } = await describe(deps, edge);
      return new Response(page, { headers: { ...headers, ...page_headers } });
    }
  }
}

/** Loaded with the first who reads it: whoever only calls the API need not hold its description. */
async function describe(deps: EdgeDeps, { request }: EdgeRequest): Promise<Description> {
  const { descriptionFor } = await import("./openapi/description-for.ts");
  return descriptionFor(deps, new URL(request.url).origin);
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
