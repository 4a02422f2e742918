import type {
  ClientRequest,
  Exchange,
  ProtocolAdapter,
  Target,
  WholeAnswer,
  WholeBody,
} from "../../core/answer/exchange.ts";
import { textOf } from "../../core/answer/sent-body.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { failedAnswer, invalidAnswer } from "../shared/endings.ts";
import { readGeminiUsage } from "../shared/gemini-usage.ts";
import { isGemini3 } from "../shared/google-models.ts";
import { ownIssuer } from "../shared/issuer.ts";
import { parseOrNull } from "../shared/parse-json.ts";
import { REPEATED_MEMBER, relayedWhole } from "../shared/rewrite-answer.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import { wantsArray } from "./addressed-body.ts";
import { readError } from "./codec.ts";
import { pathOf } from "./encode-request.ts";
import { prepareBody } from "./prepare-body.ts";
import {
  generatedIn,
  hasContent,
  type RelayedAnswer,
  relayedAnswer,
  relayedText,
  Searches,
  type ShownUsage,
} from "./relayed-object.ts";
import { GeminiStream } from "./stream.ts";
import { writeUsage } from "./write-usage.ts";

/** Reads the answer of `generateContent` for a client of the same style. Never throws: a body that is no answer is a failure. */
function readWhole(sent: WholeBody, about: RelayedAnswer): WholeAnswer {
  const text = textOf(sent);
  const answer = parsed(text);
  if (answer === null) return failedAnswer(NO_ANSWER);
  if (answer.error !== undefined) return failedAnswer(readErrorObject(answer));
  if (!Array.isArray(answer.candidates) && !isObject(answer.promptFeedback)) return failedAnswer(NO_ANSWER);
  const { usageMetadata: metadata = null } = answer;
  const searches = new Searches();
  searches.take(answer);
  const usage = searches.addTo(readGeminiUsage(metadata));
  const write = (shown: ShownUsage): string => relayedText(text, answer, about, shown);
  try {
    write({});
  } catch {
    return failedAnswer(REPEATED_MEMBER);
  }
  return relayedWhole({
    ...{ sent, write: (usage, cost) => write({ usage, cost }), failure: null, usage, raw_usage: metadata },
    has_content: hasContent(answer),
    usageFor: (billed) => (billed === null ? undefined : { ...writeUsage(billed) }),
    generated: () => generatedIn(answer),
  });
}

const NO_ANSWER = invalidAnswer("The model service answered with something that is no answer of a model.");

function parsed(text: string): JsonRecord | null {
  const answer = parseOrNull(text);
  return isObject(answer) ? answer : null;
}

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
 * Whether the target takes a request only after a translation: models before Gemini 3 refuse a format together with functions, and a
 * translation writes the format as a function.
 */
export function needsTranslation({ body }: ClientRequest, { model }: Target): boolean {
  if (isGemini3(model)) return false;
  const { generationConfig: config, tools } = body;
  if (!isObject(config) || config.responseMimeType !== "application/json" || !Array.isArray(tools)) return false;
  return tools.some((tool) => isObject(tool) && Array.isArray(tool.functionDeclarations));
}
