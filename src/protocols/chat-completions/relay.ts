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
import { detailsIssuer } from "../shared/issuer.ts";
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
  readonly #issuer: string;

  constructor(request: ClientRequest, target: Target) {
    const { parts, ignored, charged } = prepareBody(request, target);
    this.parts = parts;
    this.ignored = ignored;
    this.charged = charged;
    this.#request = request;
    this.#model_id = target.model.id;
    this.#issuer = detailsIssuer(target.vendor);
  }

  get body(): string {
    return textOfParts(this.parts);
  }

  readWhole(body: WholeBody): WholeAnswer {
    return readWhole(body, this.#model_id, this.#issuer);
  }

  openStream(): StreamAnswer {
    const shown = { model_id: this.#model_id, shows_usage: wantsUsage(this.#request) };
    return new ChatStream({ ...shown, choices: this.#request.choices, issuer: this.#issuer });
  }
}

/** Whether the client asked for a chunk with the usage (docs/api.md 6.1). */
function wantsUsage(request: ClientRequest): boolean {
  const options = request.body.stream_options as { include_usage?: unknown } | null | undefined;
  return options?.include_usage === true;
}
