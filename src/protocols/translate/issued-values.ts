import type { Target } from "../../core/answer/exchange.ts";
import type { AssistantPart, GenerationRequest, Opaque } from "../../core/answer/generation.ts";
import type { StreamEvent } from "../../core/answer/stream-event.ts";
import { makerOf, ownIssuer } from "../shared/issuer.ts";
import type { Emit, EventPass } from "./event-pass.ts";

/** The family of values that the protocol's maker issued, for a target that is somebody else. */
const NOT_THIS_VENDORS = "another";

/**
 * Translation by issuers (docs/rulings.md 192): a protocol's code knows one family of opaque values, its maker's. For a target that
 * issues its own, its values take that name on their way to it, and the maker's lose it.
 */
export function valuesForTarget(request: GenerationRequest, { vendor, endpoint }: Target): GenerationRequest {
  const issuer = ownIssuer(vendor, endpoint.protocol);
  const maker = makerOf(endpoint.protocol);
  if (issuer === null || maker === undefined || !request.messages.some(holdsOpaque)) return request;
  const renamed = (opaque: Opaque): Opaque => {
    if (opaque.family === issuer) return { ...opaque, family: maker };
    return opaque.family === maker ? { ...opaque, family: NOT_THIS_VENDORS } : opaque;
  };
  const messages = request.messages.map((message) =>
    message.role === "assistant" && holdsOpaque(message)
      ? { ...message, content: message.content.map((part) => withOpaque(part, renamed)) }
      : message,
  );
  return { ...request, messages };
}

function holdsOpaque(message: GenerationRequest["messages"][number]): boolean {
  return message.role === "assistant" && message.content.some((part) => "opaque" in part && part.opaque !== undefined);
}

function withOpaque(part: AssistantPart, renamed: (opaque: Opaque) => Opaque): AssistantPart {
  return "opaque" in part && part.opaque !== undefined ? { ...part, opaque: renamed(part.opaque) } : part;
}

/** The pass that gives the values of an answer the name of their issuer; none where that is the protocol's maker. */
export function issuerPasses({ vendor, endpoint }: Target): readonly EventPass[] {
  const issuer = ownIssuer(vendor, endpoint.protocol);
  return issuer === null ? [] : [new IssuerNames(issuer)];
}

class IssuerNames implements EventPass {
  readonly #issuer: string;

  constructor(issuer: string) {
    this.#issuer = issuer;
  }

  take(event: StreamEvent, emit: Emit): void {
    if ((event.type !== "block-start" && event.type !== "block-end") || event.opaque === undefined) return emit(event);
    emit({ ...event, opaque: { ...event.opaque, family: this.#issuer } });
  }
}
