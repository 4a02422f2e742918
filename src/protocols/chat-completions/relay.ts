import type {
  ClientRequest,
  Exchange,
  ProtocolAdapter,
  StreamAnswer,
  Target,
  WholeAnswer,
  WholeBody,
} from "../../core/answer/exchange.ts";
import { textOfParts } from "../../core/answer/sent-body.ts";
import { readRelayedError } from "../shared/relayed-error.ts";
import { prepareBody } from "./prepare-body.ts";
import { readWhole } from "./read-whole.ts";
import { ChatStream } from "./stream.ts";

/** The relay of chat completions: the vendor gets the client's own body except for members that must change. */
export const relayChatCompletions: ProtocolAdapter = { prepare };

function prepare(request: ClientRequest, target: Target): Exchange {
  return new RelayedExchange(request, target);
}

const NO_HEADERS = {};

class RelayedExchange implements Exchange {
  readonly path = "/chat/completions";
  readonly headers = NO_HEADERS;
  readonly parts: readonly string[];
  readonly ignored: readonly string[];
  readonly charged: Exchange["charged"] & object;
  readonly readError = readRelayedError;
  readonly #request: ClientRequest;
  readonly #model_id: string;

  constructor(request: ClientRequest, target: Target) {
    const { parts, ignored, charged } = prepareBody(request, target);
    this.parts = parts;
    this.ignored = ignored;
    this.charged = charged;
    this.#request = request;
    this.#model_id = target.model.id;
  }

  get body(): string {
    return textOfParts(this.parts);
  }

  readWhole(body: WholeBody): WholeAnswer {
    return readWhole(body, this.#model_id);
  }

  openStream(): StreamAnswer {
    const { choices } = this.#request;
    return new ChatStream({ model_id: this.#model_id, choices, shows_usage: wantsUsage(this.#request) });
  }
}

/** Whether the client asked for a chunk with the usage (docs/api.md 6.1). */
function wantsUsage(request: ClientRequest): boolean {
  const options = request.body.stream_options as { include_usage?: unknown } | null | undefined;
  return options?.include_usage === true;
}
