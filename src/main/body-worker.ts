/** Runs a body service in a thread of its own (docs/adr/0027-body-workers.md). */
import { formParts } from "../http/form-parts.ts";
import { BodyService } from "../pipeline/large-bodies/body-service.ts";
import type { MemoryReply, WorkerRequest } from "../pipeline/large-bodies/messages.ts";
import { serveBodies } from "../pipeline/large-bodies/serve-bodies.ts";
import * as geminiCount from "../protocols/gemini/count-tokens.ts";
import { readCountRequest } from "../protocols/messages/client.ts";
import { relayCount } from "../protocols/messages/count-tokens.ts";
import { readInputTokensRequest, relayInputTokens } from "../protocols/responses/count-tokens.ts";
import { inlineParts } from "../protocols/systemone/inline-parts.ts";
import { decodeText } from "../wire/server/request-parser.ts";
import {
  adapterBetween,
  clientProtocols,
  decisionProtocols,
  decisionVendorOf,
  modelProtocols,
  vendorCodecOf,
} from "./protocols.ts";

declare const self: Worker;

const take = serveBodies(
  (memory) =>
    new BodyService(
      {
        readers: {
          "chat.completions": clientProtocols["chat.completions"].readRequest,
          responses: clientProtocols.responses.readRequest,
          messages: clientProtocols.messages.readRequest,
          moderations: modelProtocols.moderations.readRequest,
          rerank: modelProtocols.rerank.readRequest,
          completions: modelProtocols.completions.readRequest,
          embeddings: modelProtocols.embeddings.readRequest,
          "responses.compact": modelProtocols["responses.compact"].readRequest,
          "responses.input_tokens": readInputTokensRequest,
          "audio.speech": modelProtocols["audio.speech"].readRequest,
          "images.generations": modelProtocols["images.generations"].readRequest,
          "images.edits": modelProtocols["images.edits"].readRequest,
          "audio.transcriptions": modelProtocols["audio.transcriptions"].readRequest,
          "audio.translations": modelProtocols["audio.translations"].readRequest,
          "messages.count_tokens": readCountRequest,
          generateContent: clientProtocols.generateContent.readRequest,
          countTokens: geminiCount.readCountRequest,
          decisions: (text, _headers, surface) => decisionProtocols.decisions.readRequest(text, surface),
          systemone: (text, _headers, surface) => decisionProtocols.systemone.readRequest(text, surface),
        },
        decodeText: (bytes) => decodeText(bytes, 0, bytes.length),
        readForm: (bytes, content_type) => inlineParts(formParts(bytes, content_type)),
        adapterBetween,
        vendorCodecOf,
        decisionVendorOf,
        prepareCount: (request, target, headers) => {
          if (request.protocol === "gemini") return geminiCount.relayCount(request, target);
          return request.protocol === "responses"
            ? relayInputTokens(request, target, headers)
            : relayCount(request, target, headers);
        },
      },
      memory,
    ),
  (message, moved) => postMessage(message, moved),
);

self.onmessage = ({ data }: MessageEvent<WorkerRequest | MemoryReply>) => take(data);
