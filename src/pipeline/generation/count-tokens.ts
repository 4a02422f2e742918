import type { ClientRequest } from "../../core/answer/exchange.ts";
import { textOf } from "../../core/answer/sent-body.ts";
import type { Model } from "../../core/catalog/catalog.ts";
import { estimatedCount, readCount, relayCount } from "../../protocols/messages/count-tokens.ts";
import { candidatesOf } from "../../routing/candidates.ts";
import { requestFor } from "../ask/request-for.ts";
import type { BilledCall } from "../call/call.ts";
import type { PipelineDeps } from "../call/deps.ts";
import { modelNotFound } from "../plan/model-not-found.ts";
import { refuseDocuments } from "../plan/plan.ts";

/** The parts of a call that counting tokens needs. There is no hold and no admission, as counting is never charged. */
export type CountCall = Pick<BilledCall, "key" | "headers" | "request_id">;

/**
 * Counts a request's input tokens: by the vendor where it speaks messages, otherwise by an estimate that is marked as
 * such (docs/rulings.md 14a). Resolves with the answer's body.
 */
export async function countTokens(deps: PipelineDeps, call: CountCall, request: ClientRequest): Promise<string> {
  const resolved = deps.resolveModel(call.key, request.model);
  if (resolved === null || resolved.model.kind !== "chat")
    throw modelNotFound(deps.configuration, call.key, request.model);
  refuseDocuments(deps.configuration, request);
  const counted = await countByVendor(deps, call, request, resolved.model);
  if (counted !== null) return counted;
  const { remote, body } = request;
  const asked =
    remote === undefined ? { request_body: body } : { request_body: null, input: await remote.collectInput() };
  const estimate = await deps.estimator.estimate({ ...asked, output_sample: "", output_bytes: 0 });
  return JSON.stringify(estimatedCount(estimate.input_tokens));
}

/** The vendor's count; null where the vendor gives none: an estimate then serves the client better than an error. */
async function countByVendor(
  deps: PipelineDeps,
  call: CountCall,
  request: ClientRequest,
  model: Model,
): Promise<string | null> {
  for (const { vendor, route } of candidatesOf(model, deps.configuration, deps.random)) {
    const endpoint = vendor.endpoints.find(({ protocol, dialect }) => protocol === "messages" && dialect === undefined);
    if (endpoint === undefined) continue;
    const target = { model, vendor, endpoint, upstream_model: route.upstream_model };
    const { remote } = request;
    const exchange =
      remote === undefined ? relayCount(request, target, call.headers) : await remote.prepareCount(target);
    const counted = await askVendor(deps, () => requestFor(target, exchange));
    if (counted !== null) return counted;
    deps.log.warn({ request_id: call.request_id, vendor: vendor.id }, "a vendor did not count tokens");
  }
  return null;
}

async function askVendor(deps: PipelineDeps, request: () => ReturnType<typeof requestFor>): Promise<string | null> {
  try {
    const reply = await deps.upstream.start(request()).reply;
    if (reply.status !== 200) {
      reply.close();
      return null;
    }
    const counted = readCount(textOf(await reply.readSmall()));
    if ("body" in counted) return counted.body;
    reply.discard();
    return null;
  } catch {
    return null;
  }
}
