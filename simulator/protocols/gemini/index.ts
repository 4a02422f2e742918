import { dataFrame, type Failure, type VendorProtocol } from "../protocol.ts";
import { frames, whole } from "./answer.ts";
import { isMediaModel, mediaWhole, readMedia } from "./media.ts";
import { readPath } from "./path.ts";
import { readAsk } from "./read-ask.ts";
import { rulesOf } from "./rules.ts";

/** Gemini's `generateContent` and `streamGenerateContent?alt=sse`, of the Gemini API and of Vertex AI. */
export const gemini: VendorProtocol = {
  protocol: "gemini",
  stream_content_type: "text/event-stream",
  accepts: (path) => readPath(path) !== null,
  modelOf: (_body, path) => readPath(path)?.model,
  wantsStream: (_body, path) => readPath(path)?.stream === true,
  rulesOf,
  readAsk: (model, body, headers, path) =>
    isMediaModel(model) ? readMedia(model, body) : readAsk(model, body, headers, path),
  whole: (ask, performance) =>
    ask.speech === undefined && ask.pictures === undefined ? whole(ask, performance) : mediaWhole(ask, performance),
  frames,
  errorBody,
  errorFrame: (failure) => dataFrame("terminal", JSON.stringify(errorBody(failure))),
};

function errorBody({ status: code, message }: Failure): object {
  const status = BY_STATUS[code] ?? (code >= 500 ? "INTERNAL" : "INVALID_ARGUMENT");
  return { error: { code, message, status } };
}

const BY_STATUS: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
  529: "UNAVAILABLE",
};
