import { GatewayError } from "../core/errors.ts";
import { StoreUnavailable } from "../core/store-errors.ts";
import { EXPOSITION_TYPE } from "../observe/exposition.ts";
import { headerLine } from "../wire/grammar/header-line.ts";
import type { ServerAnswer } from "../wire/server/server-answer.ts";
import { headerLines, jsonAnswer } from "./answer-lines.ts";
import type { EdgeDeps, EdgeRequest } from "./context.ts";
import type { Description } from "./description-for.ts";
import { isServedApart, requireReader } from "./operations-access.ts";
import { idLines } from "./request-ids.ts";
import { errorAnswer } from "./respond.ts";

const NOT_KEPT = headerLine("cache-control", "no-store") + headerLine("x-content-type-options", "nosniff");

/** Answers the requests of operators and tools: health, readiness, metrics, the API's description. */
export async function answerOperations(deps: EdgeDeps, edge: EdgeRequest, draining: boolean): Promise<ServerAnswer> {
  const { name, path, method } = edge.match.row;
  try {
    if (isServedApart(deps.operations, name))
      throw new GatewayError("not_found", `There is no ${method} ${path} here.`);
    requireReader(deps.operations, name, edge.request);
    return await answered(deps, edge, draining);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return errorAnswer(thrown, { ids: edge.ids, style: edge.error_style, rate: null });
  }
}

async function answered(deps: EdgeDeps, edge: EdgeRequest, draining: boolean): Promise<ServerAnswer> {
  const headers = idLines(edge.ids);
  switch (edge.match.row.name) {
    case "healthz":
      return jsonAnswer(200, headers, JSON.stringify({ status: "ok", version: deps.version }));
    case "readyz":
      return await readiness(deps, headers, draining);
    case "metrics": {
      return {
        status: 200,
        headers: headers + NOT_KEPT + headerLine("content-type", EXPOSITION_TYPE),
        body: deps.allMetrics === undefined ? deps.metrics.write() : await deps.allMetrics(),
      };
    }
    case "openapi":
      return jsonAnswer(200, headers, (await describe(deps, edge)).openapi);
    default: {
      const { page, page_headers } = await describe(deps, edge);
      return { status: 200, headers: headers + NOT_KEPT + headerLines(page_headers), body: page };
    }
  }
}

/** Loads the description's code with the first request for it: a gateway that only serves the API need not hold it. */
async function describe(deps: EdgeDeps, { request }: EdgeRequest): Promise<Description> {
  const { descriptionFor } = await import("./description-for.ts");
  return descriptionFor(deps, originOf(request.head.get("host")));
}

/** The gateway's address as the reader's browser shows it; `localhost` where the host header is not usable. */
function originOf(host: string | null): string {
  const url = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : new URL("http://localhost");
  return url.origin;
}

async function readiness(deps: EdgeDeps, headers: string, draining: boolean): Promise<ServerAnswer> {
  if (draining) return jsonAnswer(503, headers, JSON.stringify({ status: "draining" }));
  try {
    await deps.store.ping();
    const warnings = deps.store.conditions().map(({ text }) => text);
    return jsonAnswer(200, headers, JSON.stringify({ status: "ready", ...(warnings.length > 0 && { warnings }) }));
  } catch (thrown) {
    deps.log.error({ err: thrown }, "the database does not answer");
    const reason = thrown instanceof StoreUnavailable ? thrown.trouble : "unreachable";
    return jsonAnswer(503, headers, JSON.stringify({ status: "database unreachable", reason }));
  }
}
