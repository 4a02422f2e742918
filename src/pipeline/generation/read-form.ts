import type { ClientRequest, EndpointProtocol } from "../../core/answer/exchange.ts";
import type { FormBody } from "../call/call.ts";
import type { LargeBodies } from "../large-bodies/large-bodies.ts";

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
