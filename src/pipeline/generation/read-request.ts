import type { ClientRequest, EndpointProtocol } from "../../core/answer/exchange.ts";
import { isLater, type Later } from "../../core/later.ts";
import type { BilledCall, FormBody } from "../call/call.ts";
import type { PipelineDeps } from "../call/deps.ts";
import type { LargeBodies, LargeBody, SmallBody } from "../large-bodies/large-bodies.ts";
import type { BodyRoute } from "../large-bodies/messages.ts";
import { isRecalled, recallRequest } from "../memory/recall-request.ts";
import { LargeRecall, SmallRecall } from "../memory/recall-source.ts";
import { LARGE_BYTES } from "../request/sizes.ts";

/** The parts of a call by which its body is read. */
export type ReadCall = Pick<
  BilledCall,
  "text" | "large_body" | "form" | "headers" | "key" | "signal" | "idempotency_key"
>;

export interface ReadShape extends Pick<EndpointProtocol, "readRequest" | "readForm"> {
  readonly endpoint: BodyRoute;
}

/**
 * Reads a request, with what it refers to of stored responses: in another thread where the body or the conversation is large. Throws, or
 * rejects with, the GatewayError that the client gets.
 */
export function readRequest(deps: PipelineDeps, call: ReadCall, shape: ReadShape): Later<ClientRequest> {
  const { endpoint } = shape;
  if (call.form !== null && shape.readForm !== undefined)
    return readForm(deps.large_bodies, call.key.account_id, call.form, shape.readForm);
  if (call.large_body !== null) return readElsewhere(deps, call, { endpoint, body: call.large_body });
  const request = shape.readRequest(call.text, call.headers);
  const { memory, configuration, log } = deps;
  if (memory === null || !isRecalled(request)) return request;
  const small = new SmallRecall(memory, LARGE_BYTES);
  const most_bytes = configuration.limits.body_bytes;
  const recalled = recallRequest({ memory: small, account_id: call.key.account_id, most_bytes, log }, request);
  if (!isLater(recalled)) return recalled;
  // A small request that continues a large conversation is read as a large one.
  return recalled.catch((thrown: unknown) => {
    if (!(thrown instanceof LargeRecall)) throw thrown;
    return readElsewhere(deps, call, { endpoint, body: { text: call.text } });
  });
}

/** Reads a large body in another thread, which keeps it. */
function readElsewhere(
  { large_bodies, memory, configuration }: PipelineDeps,
  { headers, key: { account_id }, signal, idempotency_key }: ReadCall,
  { endpoint, body }: { readonly endpoint: BodyRoute; readonly body: LargeBody | SmallBody },
): Promise<ClientRequest> {
  return large_bodies.read({
    ...{ route: endpoint, body, headers, account_id, signal },
    is_repeatable: idempotency_key !== null,
    recall: memory === null ? null : { account_id, most_bytes: configuration.limits.body_bytes },
  });
}

/**
 * Reads a form, whose files stay in memory until the request has ended: they take the room of large bodies (docs/rulings.md 228).
 * Rejects with the GatewayError that the client gets, a 503 where there is no room now.
 */
export async function readForm(
  large_bodies: Pick<LargeBodies, "claim">,
  account_id: string,
  { parts, bytes }: FormBody,
  read: NonNullable<EndpointProtocol["readForm"]>,
): Promise<ClientRequest> {
  const claim = large_bodies.claim(account_id, bytes);
  try {
    return { ...(await read(parts)), kept: { release: () => claim.end() } };
  } catch (thrown) {
    claim.end();
    throw thrown;
  }
}
