import type { ClientRequest, Exchange, ProtocolAdapter, Target } from "../../core/answer/exchange.ts";
import { isObject } from "../../core/json.ts";
import { findMembers, replaceMembers } from "../shared/json-members.ts";
import { nameText } from "../shared/json-text.ts";
import { readRelayedError } from "../shared/relayed-error.ts";
import { BodyChanges } from "./body-changes.ts";
import { type CompletionRequest, promptsOf } from "./completions-request.ts";
import { CompletionStream, type ShownCompletion } from "./completions-stream.ts";
import { readCompletion } from "./completions-whole.ts";

/** Completions by a vendor of chat completions, at its `/completions`: the client's own body, but for what must change (docs/rulings.md 215). */
export const relayCompletions: ProtocolAdapter = { prepare };

/** Without these an answer would be another than was asked for: the vendor itself refuses what it does not know. */
const KEPT: ReadonlySet<string> = new Set([
  "model",
  "prompt",
  "suffix",
  "echo",
  "n",
  "best_of",
  "max_tokens",
  "stream",
]);

function prepare(request: ClientRequest, target: Target): Exchange {
  const body = request.body as CompletionRequest;
  const changes = changesFor(request, target);
  const parts = changes.apply();
  const shown: ShownCompletion = {
    model_id: target.model.id,
    choices: promptsOf(body).length * (body.n ?? 1),
    echoed: body.echo === true ? promptsOf(body) : [],
  };
  return {
    path: "/completions",
    parts,
    get body() {
      return parts.join("");
    },
    headers: {},
    ignored: changes.ignored,
    readWhole: (sent) => readCompletion(sent, shown),
    openStream: () => new CompletionStream(shown, wantsUsage(body)),
    readError: readRelayedError,
  };
}

function wantsUsage({ stream_options }: CompletionRequest): boolean {
  return isObject(stream_options) && stream_options.include_usage === true;
}

/** The cap is always sent: vendors have other usual ones than the public API. A stream's usage is asked for, as it is billed by. */
function changesFor(request: ClientRequest, { vendor, upstream_model }: Target): BodyChanges {
  const changes = new BodyChanges(request, request.members ?? findMembers(request.text));
  if (request.body.model !== upstream_model) changes.set("model", nameText(upstream_model));
  for (const field of vendor.quirks.unsupported_fields ?? []) if (!KEPT.has(field)) changes.leaveOut(field);
  if (!vendor.forwards_safety_identifier) changes.leaveOut("user");
  if (!changes.isGiven("max_tokens")) changes.set("max_tokens", String(request.output_cap));
  if (!request.stream || vendor.quirks.no_stream_options) changes.remove("stream_options");
  else {
    const options = changes.value("stream_options") ?? "{}";
    const sent = options === "null" ? "{}" : options;
    changes.set("stream_options", replaceMembers(sent, new Map([["include_usage", "true"]])));
  }
  return changes;
}
