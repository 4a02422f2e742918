import { countInput } from "../../answer.ts";
import { type Failure, namedFrame, type VendorProtocol } from "../protocol.ts";
import { frames, whole } from "./answer.ts";
import { readAsk } from "./read-ask.ts";
import { rulesOf } from "./rules.ts";

/** Anthropic's messages, with the count of input tokens beside them. */
export const messages: VendorProtocol = {
  protocol: "messages",
  stream_content_type: "text/event-stream; charset=utf-8",
  accepts: (path) => path.endsWith("/messages") || isCount(path) || vertexModel(path) !== undefined,
  modelOf: (body, path) => vertexModel(path) ?? (typeof body.model === "string" ? body.model : undefined),
  wantsStream: (body) => body.stream === true,
  rulesOf,
  readAsk,
  whole,
  frames,
  counting: { accepts: isCount, answer: (ask) => ({ input_tokens: countInput(ask) }) },
  errorBody,
  errorFrame: (failure) => namedFrame("terminal", "error", errorBody(failure)),
};

function isCount(path: string): boolean {
  return path.endsWith("/messages/count_tokens");
}

/** The model in a path of Vertex AI's, which serves the protocol with small changes. */
function vertexModel(path: string): string | undefined {
  const name = /\/publishers\/anthropic\/models\/([^/:]+):(?:rawPredict|streamRawPredict)$/.exec(path)?.[1];
  return name === undefined ? undefined : decodeURIComponent(name);
}

function errorBody({ status, message }: Failure): object {
  const type = BY_STATUS[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
  return { type: "error", error: { type, message }, request_id: null };
}

const BY_STATUS: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};
