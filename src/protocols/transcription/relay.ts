import type { ClientRequest, Exchange, ProtocolAdapter, Target } from "../../core/answer/exchange.ts";
import type { FormPart } from "../../core/answer/form-part.ts";
import { outgoingForm, textPart } from "../shared/outgoing-form.ts";
import { readRelayedError } from "../shared/relayed-error.ts";
import type { TranscriptBody } from "./client.ts";
import { isPlain, PLAIN_TYPE, readTranscript } from "./read-transcript.ts";
import { TranscriptStream } from "./transcript-stream.ts";

/** Transcriptions by a vendor of chat completions, at the client's own path: the client's form, but for what must change. */
export const relayTranscriptions: ProtocolAdapter = { prepare: (request, target) => prepare(request, target) };

function prepare(request: ClientRequest, target: Target): Exchange {
  const body = request.body as TranscriptBody;
  const { response_format: format, stream } = body;
  const asked = {
    ...{ model_id: target.model.id, format, likely_seconds: body.likely_seconds },
    by_minutes: target.price?.units_micro?.input_minutes !== undefined,
  };
  const { parts, ignored } = sentParts(request.form ?? [], body, target);
  const { content_type, pieces } = outgoingForm(parts);
  return {
    path: request.protocol === "translations" ? "/audio/translations" : "/audio/transcriptions",
    ...{ body: "", pieces, ignored, is_light: true },
    headers: { "content-type": content_type },
    ...(isPlain(format) && !stream && { content_type: PLAIN_TYPE }),
    readWhole: (answer) => readTranscript(answer, asked),
    openStream: () => new TranscriptStream(asked),
    readError: readRelayedError,
  };
}

const KEPT: ReadonlySet<string> = new Set(["model", "file", "response_format", "stream"]);

/** A vendor counts in JSON alone: where mere text is asked for, the vendor is asked for JSON with it. */
function sentParts(
  parts: readonly FormPart[],
  { response_format }: TranscriptBody,
  { vendor, upstream_model }: Target,
) {
  const unsupported = new Set(vendor.quirks.unsupported_fields);
  const ignored: string[] = [];
  const sent: FormPart[] = [];
  for (const part of parts) {
    const field = part.name.replace(/\[\]$/, "");
    if (field === "model") sent.push(textPart("model", upstream_model));
    else if (field === "response_format" && response_format === "text") sent.push(textPart(field, "json"));
    else if (!unsupported.has(field) || KEPT.has(field)) sent.push(part);
    else if (!ignored.includes(field)) ignored.push(field);
  }
  return { parts: sent, ignored };
}
