import type { Target } from "../../core/answer/exchange.ts";
import type { AssistantPart, GenerationRequest, Opaque, OpaqueFamily } from "../../core/answer/generation.ts";
import type { StreamEvent } from "../../core/answer/stream-event.ts";
import { detailsIssuer, makerOf, ownFamily, ownIssuer, passedOn } from "../shared/issuer.ts";
import type { Emit, EventPass } from "./event-pass.ts";

/** The family of values that the protocol's maker issued, for a target that is somebody else. */
const NOT_THIS_VENDORS = "another";

type Rename = (family: OpaqueFamily) => OpaqueFamily;

/** How an issuer's values are called in the code of its protocol, and how everywhere else. */
interface Names {
  readonly forTarget: Rename;
  readonly forClients: Rename;
}

/**
 * The names for a target; null where its protocol's code calls its values as everybody does. The code of most protocols knows one family,
 * its maker's, and that of chat the families by their formats.
 */
function namesFor({ vendor, endpoint }: Target): Names | null {
  if (endpoint.protocol === "chat-completions") {
    // What Google signs in `extra_content` stays as it is.
    if (vendor.quirks.reasoning_replay === "extra_content") return null;
    const issuer = detailsIssuer(vendor);
    return {
      forTarget: (family) => ownFamily(issuer, family) ?? NOT_THIS_VENDORS,
      forClients: (family) => passedOn(issuer, family),
    };
  }
  const issuer = ownIssuer(vendor, endpoint.protocol);
  const maker = makerOf(endpoint.protocol);
  if (issuer === null || maker === undefined) return null;
  return {
    forTarget: (family) => (family === issuer ? maker : family === maker ? NOT_THIS_VENDORS : family),
    forClients: () => issuer,
  };
}

/**
 * Translation by issuers (docs/rulings.md 192): the target's own values take the names that its protocol's code knows on their way to it,
 * and those of others lose them.
 */
export function valuesForTarget(request: GenerationRequest, target: Target): GenerationRequest {
  const names = request.messages.some(holdsOpaque) ? namesFor(target) : null;
  if (names === null) return request;
  const renamed = (opaque: Opaque): Opaque => ({ ...opaque, family: names.forTarget(opaque.family) });
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
export function issuerPasses(target: Target): readonly EventPass[] {
  const names = namesFor(target);
  return names === null ? [] : [new IssuerNames(names.forClients)];
}

class IssuerNames implements EventPass {
  readonly #rename: Rename;

  constructor(rename: Rename) {
    this.#rename = rename;
  }

  take(event: StreamEvent, emit: Emit): void {
    if ((event.type !== "block-start" && event.type !== "block-end") || event.opaque === undefined) return emit(event);
    emit({ ...event, opaque: { ...event.opaque, family: this.#rename(event.opaque.family) } });
  }
}
