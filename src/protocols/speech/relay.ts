import type { ClientRequest, Exchange, ProtocolAdapter, Target, WholeAnswer } from "../../core/answer/exchange.ts";
import type { Price } from "../../core/money/price.ts";
import { findMembers, type MemberChange, replaceMembers } from "../shared/json-members.ts";
import { nameText } from "../shared/json-text.ts";
import { readRelayedError } from "../shared/relayed-error.ts";
import { SoundStream } from "./sound-stream.ts";
import { spokenAnswer } from "./spoken-answer.ts";
import type { SpeechRequest } from "./wire-request.ts";

/** Speech by a vendor of chat completions, at its `/audio/speech`: the client's own body, but for what must change. */
export const relaySpeech: ProtocolAdapter = { prepare };

function prepare(request: ClientRequest, target: Target): Exchange {
  const answer = spokenAnswer(request.body as SpeechRequest);
  const { changes, ignored } = changesFor(request, target);
  return {
    path: "/audio/speech",
    body: replaceMembers(request.text, changes, findMembers(request.text)),
    headers: {},
    ignored,
    ...(answer.content_type !== undefined && { content_type: answer.content_type }),
    readWhole: refuseWhole,
    openStream: () => new SoundStream(answer),
    readError: readRelayedError,
  };
}

/** Speech passes through as it comes. */
export function refuseWhole(): WholeAnswer {
  throw new Error("speech is never read whole");
}

/**
 * The form in which a vendor is asked is the one in which it can say what it bills: events where tokens are charged, and sound where
 * characters are, or nothing is.
 */
function changesFor({ body }: ClientRequest, { vendor, upstream_model, price }: Target) {
  const changes: MemberChange[] = [];
  const ignored: string[] = [];
  const unsupported = new Set(vendor.quirks.unsupported_fields);
  if (body.model !== upstream_model) changes.push(["model", nameText(upstream_model)]);
  const form = countsTokens(price) && !unsupported.has("stream_format") ? "sse" : null;
  if ((body.stream_format ?? null) !== form)
    changes.push(["stream_format", form === null ? null : JSON.stringify(form)]);
  for (const field of unsupported) {
    if (KEPT.has(field) || !Object.hasOwn(body, field)) continue;
    if (body[field] !== null) ignored.push(field);
    changes.push([field, null]);
  }
  return { changes, ignored };
}

/** Whether tokens cost something: servers that are free may refuse events. */
function countsTokens(price: Price | undefined): boolean {
  return price !== undefined && (price.input_micro_per_mtok > 0 || price.output_micro_per_mtok > 0);
}

const KEPT: ReadonlySet<string> = new Set(["model", "input", "voice", "response_format", "stream_format"]);
