import type { ClientRequest, Exchange, ProtocolAdapter, Target } from "../../core/answer/exchange.ts";
import { textOfParts } from "../../core/answer/sent-body.ts";
import { ownIssuer } from "../shared/issuer.ts";
import { readRelayedError } from "../shared/relayed-error.ts";
import { issuedBody } from "./issued-items.ts";
import { prepareBody } from "./prepare-body.ts";
import { readWholeResponse } from "./read-whole.ts";
import { ResponsesStream } from "./stream.ts";

/** Relays responses requests to a responses vendor: the vendor gets the client's own body with the fewest changes. */
export const relayResponses: ProtocolAdapter = {
  prepare(request: ClientRequest, target: Target): Exchange {
    const { parts, ignored, charged } = prepareBody(request, target);
    const model_id = target.model.id;
    const issuer = ownIssuer(target.vendor, "responses");
    const previous = request.memory?.previous_response_id ?? null;
    return {
      path: "/responses",
      parts,
      get body() {
        return textOfParts(parts);
      },
      headers: {},
      ignored,
      charged,
      readWhole: (bytes) => readWholeResponse(issuer === null ? bytes : issuedBody(bytes, issuer), model_id, previous),
      openStream: () => new ResponsesStream(model_id, previous, issuer),
      readError: readRelayedError,
    };
  },
};
