import type { EncodedRequest, RequestField } from "../../core/codec.ts";
import type { Target } from "../../core/exchange.ts";
import type { GenerationRequest } from "../../core/generation.ts";
import { isGemini3 } from "../shared/google-models.ts";
import { unsaidDetail } from "../shared/unsaid.ts";
import { encodeConfig } from "./encode-config.ts";
import { encodeConversation } from "./encode-contents.ts";
import { encodeTools } from "./encode-tools.ts";
import { fitThinking } from "./thinking-config.ts";
import type { GenerateContentRequest } from "./wire.ts";

/** Encodes a neutral request for `generateContent` or `streamGenerateContent`; the model's name is part of the path. */
export function encodeRequest(request: GenerationRequest, target: Target): EncodedRequest {
  const { model, vendor } = target;
  const call_ids = vendor.quirks.no_call_ids !== true;
  const { contents, system } = encodeConversation(request.messages, { call_ids, is_gemini_3: isGemini3(model) });
  const thinking = fitThinking(request.reasoning, model);
  const ignored: string[] = thinking.ignored ? ["reasoning" satisfies RequestField] : [];
  const config = encodeConfig(request, thinking.config);
  const body: GenerateContentRequest = {
    contents,
    ...(system.length === 0 ? {} : { systemInstruction: { parts: system } }),
    ...encodeTools(request, ignored),
    ...(config === undefined ? {} : { generationConfig: config }),
  };
  const unsaid = unsaidDetail(request.messages, ["image", "document"]);
  return {
    path: pathOf(target.upstream_model, request.stream),
    body: JSON.stringify(body),
    headers: {},
    ignored: [...ignored, ...unsaid],
  };
}

/** `/models/NAME:generateContent`; a name with slashes (`tunedModels/NAME`, `endpoints/ID`) is a path already. */
function pathOf(name: string, stream: boolean): string {
  const segments = name.includes("/") ? name.split("/") : ["models", name];
  const path = segments.map(encodeURIComponent).join("/");
  return `/${path}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`;
}
