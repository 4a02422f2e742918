import type { AnswerContext, ClientCodec, VendorCodec } from "../../core/answer/codec.ts";
import type { ClientHeaders, ClientRequest, Exchange, ProtocolAdapter, Target } from "../../core/answer/exchange.ts";
import { systemClock } from "../../core/clock.ts";
import { GatewayError } from "../../core/errors.ts";
import { withExactSchemas } from "../shared/exact-schemas.ts";
import { sentCap } from "../shared/sent-cap.ts";
import { chargedRequest, remainingCharges } from "./charged-request.ts";
import { NoEmptyReasoning } from "./empty-reasoning.ts";
import { fitRequest } from "./fit-request.ts";
import { issuerPasses, valuesForTarget } from "./issued-values.ts";
import { TranslatedStream } from "./translated-stream.ts";
import { translateWhole } from "./translated-whole.ts";

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
