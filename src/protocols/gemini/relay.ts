import type { ClientRequest, Exchange, ProtocolAdapter, Target } from "../../core/answer/exchange.ts";
import { isObject } from "../../core/json.ts";
import { isGemini3 } from "../shared/google-models.ts";
import { ownIssuer } from "../shared/issuer.ts";
import { wantsArray } from "./addressed-body.ts";
import { readError } from "./codec.ts";
import { pathOf } from "./encode-request.ts";
import { prepareBody } from "./prepare-body.ts";
import { readWhole } from "./read-whole.ts";
import { relayedAnswer } from "./relayed-object.ts";
import { GeminiStream } from "./stream.ts";

/** The relay of Gemini's style: the vendor gets the client's own body except for members that must change. */
export const relayGemini: ProtocolAdapter = {
  prepare(request: ClientRequest, target: Target): Exchange {
    const { body, ignored, charged } = prepareBody(request, target);
    const about = () => relayedAnswer(target.model.id, ownIssuer(target.vendor, "gemini"));
    const { choices } = request;
    return {
      path: pathOf(target.upstream_model, request.stream),
      ...{ body, headers: {}, ignored, charged },
      readWhole: (bytes) => readWhole(bytes, about()),
      openStream: () => new GeminiStream(about(), { choices, is_array: wantsArray(request.body) }),
      readError,
    };
  },
};

/**
 * Whether a request is one that its target would take only in other words: before Gemini 3 a format beside functions, which a translation
 * writes as a function of its own.
 */
export function needsTranslation({ body }: ClientRequest, { model }: Target): boolean {
  if (isGemini3(model)) return false;
  const { generationConfig: config, tools } = body;
  if (!isObject(config) || config.responseMimeType !== "application/json" || !Array.isArray(tools)) return false;
  return tools.some((tool) => isObject(tool) && Array.isArray(tool.functionDeclarations));
}
