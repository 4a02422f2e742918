import type { ClientHeaders, ClientRequest, Exchange, ProtocolAdapter, Target } from "../../core/answer/exchange.ts";
import { ownIssuer } from "../shared/issuer.ts";
import { readRelayedError } from "../shared/relayed-error.ts";
import { issuedBody } from "./issued-blocks.ts";
import { prepareBody } from "./prepare-body.ts";
import { readWholeMessage } from "./read-whole.ts";
import { vendorHeaders } from "./sent-version.ts";
import { MessagesStream } from "./stream.ts";

/** The input bound counts a token for each byte of text; a model has one for about four bytes. */
const BYTES_PER_TOKEN = 4;

/** The relay of messages: the vendor gets the client's own body except for members that must change. */
export const relayMessages: ProtocolAdapter = {
  prepare(request: ClientRequest, target: Target, headers: ClientHeaders): Exchange {
    const { body, ignored, charged } = prepareBody(request, target);
    const model_id = target.model.id;
    const issuer = ownIssuer(target.vendor, "messages");
    const estimate_tokens = Math.ceil(request.input_bound_tokens / BYTES_PER_TOKEN);
    return {
      path: "/messages",
      body,
      headers: vendorHeaders(request, target, headers),
      ignored,
      charged,
      readWhole: (bytes) => readWholeMessage(issuer === null ? bytes : issuedBody(bytes, issuer), model_id),
      openStream: () => new MessagesStream(model_id, estimate_tokens, issuer),
      readError: readRelayedError,
    };
  },
};
