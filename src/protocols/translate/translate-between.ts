import type { AnswerContext, ClientCodec, VendorCodec } from "../../core/answer/codec.ts";
import type { ClientHeaders, ClientRequest, Exchange, ProtocolAdapter, Target } from "../../core/answer/exchange.ts";
import type { AssistantPart, GenerationRequest, Opaque, OpaqueFamily, Tool } from "../../core/answer/generation.ts";
import type { StreamEvent } from "../../core/answer/stream-event.ts";
import { systemClock } from "../../core/clock.ts";
import { type ErrorCode, GatewayError } from "../../core/errors.ts";
import { type ChargedMember, judgeCharges } from "../../core/money/charges.ts";
import { toolWords, unpricedError } from "../shared/charged-members.ts";
import { withExactSchemas } from "../shared/exact-schemas.ts";
import { detailsIssuer, makerOf, ownFamily, ownIssuer, passedOn } from "../shared/issuer.ts";
import { sentCap } from "../shared/sent-cap.ts";
import { isToolPlace } from "../shared/tool-lists.ts";
import type { Emit, EventPass } from "./event-pass.ts";
import { NoEmptyReasoning } from "./every-answer.ts";
import { fitRequest } from "./fit-request.ts";
import { TranslatedStream } from "./translated-stream.ts";
import { translateWhole } from "./translated-whole.ts";
import { withoutTools } from "./without-tools.ts";

/** The approximate bytes of text per token, in the languages in which models are mostly used. */
const BYTES_PER_TOKEN = 4;

/**
 * The way from a client's protocol to another protocol of a vendor, through the neutral request and the neutral events:
 * no protocol is translated through a third one. Settings that the target cannot honour are refused or reported
 * (docs/rulings.md 10).
 */
export function translateBetween(client: ClientCodec, vendor: VendorCodec): ProtocolAdapter {
  return { prepare };

  function prepare(asked_for: ClientRequest, target: Target, headers: ClientHeaders): Exchange {
    const request = withExactSchemas(asked_for);
    if (request.choices > 1) throw tooManyChoices(client, request, target);
    const cap = sentCap(request, target);
    const asked_by_client = client.decodeRequest(
      cap === request.output_cap ? request : { ...request, output_cap: cap },
    );
    const decoded = valuesForTarget(asked_by_client, target);
    const { asked, charged, ignored, fitted, encoded } = inClientsWords(client, () => {
      const priced = chargedRequest(decoded, request, target, client.refusal);
      const fitting = fitRequest(priced.asked, vendor.traits(target, priced.asked), target);
      return { ...priced, fitted: fitting, encoded: vendor.encodeRequest(fitting.request, target, headers) };
    });
    const openPasses = (): ReturnType<typeof fitted.openPasses> => {
      const { passes, stop } = fitted.openPasses();
      return { passes: [...issuerPasses(target), new NoEmptyReasoning(), ...passes], stop };
    };
    const left_out = new Set<string>(encoded.ignored);
    const context: AnswerContext = {
      model: target.model.id,
      request: asked,
      body: request.body,
      ...(request.memory && { memory: request.memory }),
      input_estimate_tokens: Math.ceil(request.input_bound_tokens / BYTES_PER_TOKEN),
      created: Math.floor(systemClock.now_ms() / 1000),
    };
    return {
      path: encoded.path,
      body: encoded.body,
      headers: encoded.headers,
      ignored: named(client, [...ignored, ...fitted.ignored, ...encoded.ignored]),
      charged: remainingCharges(charged, fitted.request).filter(({ place }) => !left_out.has(place)),
      readWhole: (body) =>
        translateWhole(vendor.decodeWhole(body, target, fitted.request), openPasses(), client, context),
      openStream: () =>
        new TranslatedStream(vendor.openDecoder(target, fitted.request), client.openEncoder(context), openPasses()),
      readError: (status, body) => vendor.readError(status, body),
    };
  }
}

function tooManyChoices(
  { refusal, choices_name: name }: ClientCodec,
  { choices }: ClientRequest,
  { model }: Target,
): GatewayError {
  const message = `'${name}' is the number ${choices}; allowed for ${model.id}: 1, as it gives one answer to a request.`;
  return new GatewayError(refusal, message, { param: name });
}

/** The settings that were left out, by the client's names for them, without duplicates. */
function named({ names }: ClientCodec, ignored: readonly string[]): readonly string[] {
  const by_field = new Map(Object.entries(names));
  // Not a look-up in the object: a client's own member may be called as one that every object has.
  return [...new Set(ignored.map((field) => by_field.get(field) ?? field))];
}

/**
 * Fits and encodes a request, and restates the refusals in the client's terms: the client's error code and field names.
 */
function inClientsWords<Result>(client: ClientCodec, encode: () => Result): Result {
  try {
    return encode();
  } catch (thrown) {
    throw thrown instanceof GatewayError && thrown.code === "unsupported_parameter" ? reworded(client, thrown) : thrown;
  }
}

function reworded(client: ClientCodec, refusal: GatewayError): GatewayError {
  const field = refusal.param;
  if (field === null) return new GatewayError(client.refusal, refusal.message, { cause: refusal });
  const [name = field] = named(client, [field]);
  const message = refusal.message.replaceAll(`'${field}'`, `'${name}'`);
  return new GatewayError(client.refusal, message, { param: name, cause: refusal });
}

/**
 * A request without members that have no price at its target, its charged members, and the names of members that were
 * left out (docs/rulings.md 144).
 */
interface ChargedRequest {
  readonly asked: GenerationRequest;
  readonly charged: readonly ChargedMember[];
  readonly ignored: readonly string[];
}

const NOTHING: readonly never[] = [];

/**
 * Fits the members that change a charge. Only a service tier and the tools that the target's vendor runs survive a
 * translation: both are judged by the target's price. A place of computation, which no other protocol can promise, is
 * refused. All other charged members are left out and reported by the code that fits the request.
 */
function chargedRequest(
  asked: GenerationRequest,
  { charged = NOTHING }: ClientRequest,
  target: Target,
  code: ErrorCode,
): ChargedRequest {
  if (charged.length === 0 || target.price === undefined) return { asked, charged: NOTHING, ignored: NOTHING };
  const promise = charged.find(({ asks }) => asks?.residency !== undefined);
  if (promise !== undefined) throw unpricedError(promise, target, code);
  const { kept, left_out } = judgeCharges(charged.filter(survives), target.price);
  const lost = new Set(left_out.map(({ what }) => what));
  for (const { what } of kept) lost.delete(what);
  const { service_tier, ...rest } = asked;
  const loses_tier = left_out.some(({ asks }) => asks?.service_tier !== undefined);
  const ignored = loses_tier ? ["service_tier"] : [];
  const isLost = (tool: Tool) => tool.kind === "hosted" && lost.has(toolWords(tool.type));
  const priced = { ...rest, ...(service_tier !== undefined && !loses_tier && { service_tier }) };
  return {
    asked: withoutTools(priced, isLost, { ignored, model: target.model.id, lack: "no-price" }),
    charged: kept,
    ignored,
  };
}

function survives({ asks, place }: ChargedMember): boolean {
  return asks?.service_tier !== undefined || isToolPlace(place);
}

/** The charged members that the fitted request still has. */
function remainingCharges(charged: readonly ChargedMember[], { tools, service_tier }: GenerationRequest) {
  if (charged.length === 0) return charged;
  const hosted = new Set(tools.flatMap((tool) => (tool.kind === "hosted" ? [toolWords(tool.type)] : [])));
  return charged.filter(({ asks, what }) =>
    asks === undefined ? hosted.has(what) : asks.service_tier === service_tier,
  );
}

/** The family of values of the protocol's maker, for a target that is another vendor. */
const NOT_THIS_VENDORS = "another";

type Rename = (family: OpaqueFamily) => OpaqueFamily;

/** The names of an issuer's values: in the code of its protocol, and everywhere else. */
interface Names {
  readonly forTarget: Rename;
  readonly forClients: Rename;
}

/**
 * The names for a target; null where its values have the same name everywhere. The code of most protocols knows one family, its
 * maker's, and that of chat the families by their formats.
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
function valuesForTarget(request: GenerationRequest, target: Target): GenerationRequest {
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
function issuerPasses(target: Target): readonly EventPass[] {
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
