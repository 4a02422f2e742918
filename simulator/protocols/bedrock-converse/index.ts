import type { Failure, VendorProtocol } from "../protocol.ts";
import { frames, whole } from "./answer.ts";
import { event, exception } from "./event-message.ts";
import { readPath } from "./path.ts";
import { readAsk } from "./read-ask.ts";
import { rulesOf } from "./rules.ts";

/** Amazon Bedrock's Converse and ConverseStream, whose streams are binary. */
export const bedrockConverse: VendorProtocol = {
  protocol: "bedrock-converse",
  stream_content_type: "application/vnd.amazon.eventstream",
  accepts: (path) => readPath(path) !== null,
  modelOf: (_body, path) => readPath(path)?.model,
  wantsStream: (_body, path) => readPath(path)?.stream === true,
  rulesOf,
  readAsk,
  whole,
  frames,
  errorBody: ({ message }) => ({ message }),
  errorHeaders: (failure) => ({ "x-amzn-errortype": nameOf(failure) }),
  errorFrame: (failure) => ({ part: "terminal", bytes: failureFrame(failure) }),
  binary: {
    broken: event("contentBlockDelta", '{"broken": '),
    huge: (bytes) => event("contentBlockDelta", JSON.stringify({ p: "x".repeat(bytes) })),
  },
};

function failureFrame(failure: Failure): Uint8Array {
  const name = nameOf(failure);
  return exception(name.charAt(0).toLowerCase() + name.slice(1), JSON.stringify({ message: failure.message }));
}

/** The name of a failure in its header; in a stream the name begins with a small letter. */
function nameOf({ status }: Failure): string {
  return NAMES[status] ?? (status >= 500 ? "ModelStreamErrorException" : "ValidationException");
}

const NAMES: Readonly<Record<number, string>> = {
  403: "AccessDeniedException",
  404: "ResourceNotFoundException",
  408: "ModelTimeoutException",
  429: "ThrottlingException",
  500: "InternalServerException",
  503: "ServiceUnavailableException",
  529: "ServiceUnavailableException",
};
