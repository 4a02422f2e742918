import type { ClientHeaders, ClientRequest, Exchange, Target, Way } from "../../core/exchange.ts";
import { findMembers, type MemberChanges, replaceMembers } from "../shared/json-members.ts";

/** What Vertex AI wants in place of the model's name, which is in its path. */
const CHANGES: MemberChanges = new Map([
  ["model", null],
  ["anthropic_version", JSON.stringify("vertex-2023-10-16")],
]);

/** A way that ends at messages, also where Vertex AI serves them: the model in the path, the version in the body. */
export function throughVertex(way: Way): Way {
  return {
    prepare(request: ClientRequest, target: Target, headers: ClientHeaders): Exchange {
      const exchange = way.prepare(request, target, headers);
      if (target.endpoint.dialect !== "vertex") return exchange;
      const body = replaceMembers(exchange.body, CHANGES, findMembers(exchange.body));
      return { ...exchange, path: pathOf(target, request.stream), body };
    },
  };
}

/** `@` stands before a model's version there, and as it is. */
function pathOf({ upstream_model }: Target, stream: boolean): string {
  const name = encodeURIComponent(upstream_model).replaceAll("%40", "@");
  return `/models/${name}:${stream ? "streamRawPredict" : "rawPredict"}`;
}
