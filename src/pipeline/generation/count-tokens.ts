import type { ClientHeaders, ClientRequest, RemoteCount, Target } from "../../core/answer/exchange.ts";
import { textOf } from "../../core/answer/sent-body.ts";
import type { Model } from "../../core/catalog/catalog.ts";
import * as gemini from "../../protocols/gemini/count-tokens.ts";
import { estimatedCount, readCount, relayCount } from "../../protocols/messages/count-tokens.ts";
import { inputTokensAnswer, readInputTokens, relayInputTokens } from "../../protocols/responses/count-tokens.ts";
import { candidatesOf } from "../../routing/candidates.ts";
import { requestFor } from "../ask/request-for.ts";
import type { BilledCall } from "../call/call.ts";
import type { PipelineDeps } from "../call/deps.ts";
import { modelNotFound } from "../plan/model-not-found.ts";
import { refuseDocuments } from "../plan/plan.ts";

/** The parts of a call that counting tokens needs. There is no hold and no admission, as counting is never charged. */
export type CountCall = Pick<BilledCall, "key" | "headers" | "request_id">;

/**
 * Counts a request's input tokens: by the vendor where it speaks the same protocol, otherwise by an estimate that is marked as
 * such (docs/rulings.md 14a). Resolves with the answer's body.
 */
export async function countTokens(deps: PipelineDeps, call: CountCall, request: ClientRequest): Promise<string> {
  const model = deps.resolveModel(call.key, request.model);
  if (model?.kind !== "chat") throw modelNotFound(deps.configuration, call.key, request.model);
  refuseDocuments(deps.configuration, request);
  const { protocol } = request;
  const counting = COUNTING[protocol === "responses" || protocol === "gemini" ? protocol : "messages"];
  const counted = await countByVendor(deps, { call, request, counting }, model);
  if (counted !== null) return counted;
  const { remote, body } = request;
  const asked =
    remote === undefined ? { request_body: body } : { request_body: null, input: await remote.collectInput() };
  const estimate = await deps.estimator.estimate({ ...asked, output_sample: "", output_bytes: 0 });
  return counting.estimated(estimate.input_tokens);
}

/** How tokens are counted in one style: what its vendors are asked, what they answer, and what is said without them. */
interface CountingStyle {
  readonly protocol: "messages" | "responses" | "gemini";
  relay(request: ClientRequest, target: Target, headers: ClientHeaders): Omit<RemoteCount, "body"> & { body: string };
  /** The answer's body for the client; null where the vendor's has no count. */
  read(answer: string): string | null;
  estimated(input_tokens: number): string;
}

const COUNTING: Readonly<Record<CountingStyle["protocol"], CountingStyle>> = {
  messages: {
    protocol: "messages",
    relay: relayCount,
    read: readCount,
    estimated: (input_tokens) => JSON.stringify(estimatedCount(input_tokens)),
  },
  responses: {
    protocol: "responses",
    relay: relayInputTokens,
    read: readInputTokens,
    estimated: (input_tokens) => inputTokensAnswer(input_tokens, true),
  },
  gemini: {
    protocol: "gemini",
    relay: gemini.relayCount,
    read: gemini.readCount,
    estimated: (input_tokens) => JSON.stringify(gemini.estimatedCount(input_tokens)),
  },
};

interface CountOrder {
  readonly call: CountCall;
  readonly request: ClientRequest;
  readonly counting: CountingStyle;
}

/** The vendor's count; null where the vendor gives none: an estimate then serves the client better than an error. */
async function countByVendor(
  deps: PipelineDeps,
  { call, request, counting }: CountOrder,
  model: Model,
): Promise<string | null> {
  const { credentials } = deps.breakers;
  for (const { vendor, route, credential } of candidatesOf(model, deps.configuration, deps.random)) {
    if (credential !== undefined && credentials.waitMs(vendor.id, credential.name, call.key.account_id) > 0) continue;
    const endpoint = vendor.endpoints.find(
      ({ protocol, dialect }) => protocol === counting.protocol && dialect === undefined,
    );
    if (endpoint === undefined) continue;
    const target = { model, vendor, endpoint, upstream_model: route.upstream_model };
    const { remote } = request;
    const exchange =
      remote === undefined ? counting.relay(request, target, call.headers) : await remote.prepareCount(target);
    const counted = await askVendor(deps, counting, () => requestFor(target, exchange));
    if (counted !== null) return counted;
    deps.log.warn({ request_id: call.request_id, vendor: vendor.id }, "a vendor did not count tokens");
  }
  return null;
}

async function askVendor(
  deps: PipelineDeps,
  { read }: CountingStyle,
  request: () => ReturnType<typeof requestFor>,
): Promise<string | null> {
  try {
    const reply = await deps.upstream.start(request()).reply;
    if (reply.status !== 200) {
      reply.close();
      return null;
    }
    const counted = read(textOf(await reply.readSmall()));
    if (counted !== null) return counted;
    reply.discard();
    return null;
  } catch {
    return null;
  }
}
