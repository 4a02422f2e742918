import type { ClientRequest, Exchange, Target, Way } from "../../core/exchange.ts";
import { readVendorError } from "../shared/vendor-error.ts";
import { prepareBody } from "./prepare-body.ts";
import { readWhole } from "./read-whole.ts";
import { ChatStream } from "./stream.ts";

/** Chat completions in, chat completions out: the vendor gets the client's own body but for what has to change. */
export const relayChatCompletions: Way = { prepare };

function prepare(request: ClientRequest, target: Target): Exchange {
  const { body, ignored } = prepareBody(request, target);
  const model_id = target.model.id;
  return {
    path: "/chat/completions",
    body,
    headers: {},
    ignored,
    readWhole: (bytes) => readWhole(bytes, model_id),
    openStream: () => new ChatStream({ model_id, choices: request.choices, shows_usage: wantsUsage(request) }),
    readError: readVendorError,
  };
}

/** Whether the client asked for a chunk with the usage (docs/api.md 6.1). */
function wantsUsage(request: ClientRequest): boolean {
  const options = request.body.stream_options as { include_usage?: unknown } | null | undefined;
  return options?.include_usage === true;
}
