import type { ClientHeaders, ClientRequest, Exchange, ProtocolAdapter, Target } from "../../core/answer/exchange.ts";
import { findMembers, type MemberChanges, replaceMembers } from "../shared/json-members.ts";

/** The members that Vertex AI requires: a version, and no model name, which is in the path. */
const CHANGES: MemberChanges = new Map([
  ["model", null],
  ["anthropic_version", JSON.stringify("vertex-2023-10-16")],
]);

/**
 * An adapter to a messages vendor, adapted where Vertex AI serves it: the model's name goes into the path, the version into
 * the body.
 */
export function throughVertex(adapter: ProtocolAdapter): ProtocolAdapter {
  return {
    prepare(request: ClientRequest, target: Target, headers: ClientHeaders): Exchange {
      const exchange = adapter.prepare(request, target, headers);
      if (target.endpoint.dialect !== "vertex") return exchange;
      const body = replaceMembers(exchange.body, CHANGES, findMembers(exchange.body));
      return { ...exchange, path: pathOf(target, request.stream), body };
    },
  };
}

/** In the path the `@` before a model's version stays unescaped. */
function pathOf({ upstream_model }: Target, stream: boolean): string {
  const name = encodeURIComponent(upstream_model).replaceAll("%40", "@");
  return `/models/${name}:${stream ? "streamRawPredict" : "rawPredict"}`;
}
