import type { Model, Route, Vendor, VendorEndpoint } from "../../core/catalog.ts";
import type { Protocol } from "../../core/endpoints.ts";
import { GatewayError, toGatewayError } from "../../core/errors.ts";
import type {
  ClientHeaders,
  ClientProtocol,
  ClientRequest,
  Exchange,
  VendorFailure,
  Way,
} from "../../core/exchange.ts";
import { isObject } from "../../core/json.ts";
import type { UpstreamCall, UpstreamReply } from "../../upstream/send.ts";
import { UpstreamError } from "../../upstream/upstream-error.ts";
import type { PipelineDeps } from "../deps.ts";
import { endpointsFor } from "../plan.ts";
import { requestFor } from "../request-for.ts";
import { judgeEvent, judgeStatus, judgeThrown } from "../vendor-failure.ts";
import { withoutCredentials } from "../without-credentials.ts";

/** What a test call came to. A vendor that refuses it is a result, too. */
export interface VendorTestResult {
  readonly model: string;
  readonly upstream_model: string;
  readonly protocol: Protocol;
  /** The vendor's HTTP status; null when there was none. */
  readonly status: number | null;
  readonly first_byte_ms: number | null;
  readonly duration_ms: number;
  /** The answer's text; null when it had none, or there was no answer. */
  readonly text: string | null;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number } | null;
  readonly failure: { readonly code: string; readonly message: string } | null;
}

export type VendorTestDeps = Pick<
  PipelineDeps,
  "configuration" | "upstream" | "breakers" | "meters" | "wayBetween" | "priceAt" | "clock"
>;

/** Some vendors take no smaller one. */
const MAX_OUTPUT_TOKENS = 16;
const PATIENCE_MS = 20_000;
const NO_HEADERS: ClientHeaders = { get: () => null };

/** One way to ask a vendor for one of its models. */
interface TestTarget {
  readonly vendor: Vendor;
  readonly model: Model;
  readonly route: Route;
  readonly endpoint: VendorEndpoint;
  readonly way: Way;
}

/**
 * Makes one small call to a vendor, as a client's request would be made: the same encoders, credentials and connections.
 * It holds and charges nothing and ends within 20 seconds. An answer closes the route's circuit; a failure opens none.
 * Throws a GatewayError (`invalid_request`) where the vendor has no such model, or none that can be asked.
 */
export async function testVendor(
  deps: VendorTestDeps,
  protocol: ClientProtocol,
  vendor: Vendor,
  model_id: string | null,
): Promise<VendorTestResult> {
  const target = chooseTarget(deps, protocol, vendor, model_id);
  const request = requestTo(protocol, target.model);
  const { route, endpoint } = target;
  const exchange = target.way.prepare(request, { ...target, upstream_model: route.upstream_model }, NO_HEADERS);
  const metered = deps.meters.begin(vendor.id, route.upstream_model);
  const asked = await ask(deps, protocol, target, exchange);
  if (asked.failure === null) {
    metered.completed();
    deps.breakers.succeeded(vendor.id, route.upstream_model);
  } else metered.failed(asked.failure.code, asked.status);
  return {
    model: target.model.id,
    upstream_model: route.upstream_model,
    protocol: endpoint.protocol,
    ...asked,
    failure: asked.failure && { code: asked.failure.code, message: fullMessage(asked.failure, vendor) },
  };
}

function chooseTarget(
  deps: VendorTestDeps,
  protocol: ClientProtocol,
  vendor: Vendor,
  model_id: string | null,
): TestTarget {
  const targets = [...deps.configuration.models.values()]
    .filter((model) => model_id === null || model.id === model_id)
    .flatMap((model) => targetOf(deps, protocol, vendor, model) ?? []);
  const now_ms = deps.clock.now_ms();
  const priceOf = ({ model }: TestTarget): number => {
    const price = deps.priceAt(model, now_ms);
    return price.input_micro_per_mtok + price.output_micro_per_mtok;
  };
  const [cheapest] = targets.toSorted((a, b) => priceOf(a) - priceOf(b));
  if (cheapest !== undefined) return cheapest;
  const what = model_id === null ? "has no chat model" : `does not serve ${JSON.stringify(model_id)} as a chat model`;
  throw new GatewayError("invalid_request", `The vendor ${vendor.id} ${what} that a test call could ask.`, {
    param: model_id === null ? null : "model",
  });
}

function targetOf(deps: VendorTestDeps, protocol: ClientProtocol, vendor: Vendor, model: Model): TestTarget | null {
  if (model.kind !== "chat" || !model.output_modalities.includes("text")) return null;
  for (const route of model.routes) {
    if (route.vendor !== vendor.id) continue;
    for (const endpoint of endpointsFor(protocol.protocol, { model, route, vendor })) {
      const way = deps.wayBetween(protocol.protocol, endpoint.protocol);
      if (way !== null) return { vendor, model, route, endpoint, way };
    }
  }
  return null;
}

function requestTo(protocol: ClientProtocol, model: Model): ClientRequest {
  const messages = [{ role: "user", content: "Answer with one word: which colour is the sky on a clear day?" }];
  const text = JSON.stringify({ model: model.id, messages, max_completion_tokens: MAX_OUTPUT_TOKENS });
  return protocol.readRequest(text, NO_HEADERS);
}

type Asked = Omit<VendorTestResult, "model" | "upstream_model" | "protocol" | "failure"> & {
  readonly failure: GatewayError | null;
};

/** Asks, and tells how it ended; never throws. */
async function ask(
  deps: VendorTestDeps,
  protocol: ClientProtocol,
  { vendor, endpoint }: TestTarget,
  exchange: Exchange,
): Promise<Asked> {
  const began_ms = deps.clock.monotonic_ms();
  const since = () => Math.round(deps.clock.monotonic_ms() - began_ms);
  let status: number | null = null;
  let first_byte_ms: number | null = null;
  const call = deps.upstream.start({ ...requestFor({ vendor, endpoint }, exchange), timeouts: bounded(vendor) });
  const failed = (failure: GatewayError): Asked => {
    return { status, first_byte_ms, duration_ms: since(), text: null, usage: null, failure };
  };
  try {
    return await withinPatience(call, async (reply) => {
      status = reply.status;
      first_byte_ms = since();
      const { text, usage, failure } = await read(reply, exchange);
      if (failure !== null) return failed(judged(withoutCredentials(failure, vendor), status, protocol));
      return { status, first_byte_ms, duration_ms: since(), text, usage, failure: null };
    });
  } catch (thrown) {
    return failed(judgeThrown(thrown, status !== null).error);
  }
}

function bounded({ timeouts }: Vendor): Vendor["timeouts"] {
  const within = (timeout_ms: number) => Math.min(timeout_ms, PATIENCE_MS);
  return {
    connect_ms: within(timeouts.connect_ms),
    first_byte_ms: within(timeouts.first_byte_ms),
    idle_ms: within(timeouts.idle_ms),
    total_ms: within(timeouts.total_ms),
  };
}

/** A credential that is fetched for the call counts, too; the deadlines of the call itself begin after that. */
async function withinPatience<Result>(
  call: UpstreamCall,
  then: (reply: UpstreamReply) => Promise<Result>,
): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new UpstreamError("total_timeout", `the vendor took longer than ${PATIENCE_MS} ms in all`));
    call.abort();
  }, PATIENCE_MS);
  try {
    return await Promise.race([call.reply.then(then), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

interface ReadAnswer {
  readonly text: string | null;
  readonly usage: VendorTestResult["usage"];
  readonly failure: VendorFailure | null;
}

async function read(reply: UpstreamReply, exchange: Exchange): Promise<ReadAnswer> {
  if (reply.status < 200 || reply.status > 299) {
    const failure = exchange.readError(reply.status, await reply.readErrorText());
    return { text: null, usage: null, failure };
  }
  const answer = exchange.readWhole(await reply.readWhole());
  if (answer.failure !== null) return { text: null, usage: null, failure: answer.failure };
  const { usage } = answer;
  return {
    text: textOf(answer.body),
    usage: usage && {
      input_tokens: usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
      output_tokens: usage.output_tokens,
    },
    failure: null,
  };
}

/** The text of a chat completion; null when it has none. */
function textOf(body: Uint8Array): string | null {
  const completion: unknown = JSON.parse(new TextDecoder().decode(body));
  const choices = isObject(completion) && Array.isArray(completion.choices) ? completion.choices : [];
  const [choice]: unknown[] = choices;
  const message = isObject(choice) && isObject(choice.message) ? choice.message : {};
  return typeof message.content === "string" && message.content !== "" ? message.content : null;
}

/** The code that a client would get, with the vendor's own words: an administrator may read them. */
function judged(failure: VendorFailure, status: number | null, protocol: ClientProtocol): GatewayError {
  const inside = status !== null && status >= 200 && status <= 299;
  const { error } = (inside ? judgeEvent : judgeStatus)(failure, protocol.general_error);
  return new GatewayError(error.code, failure.message === "" ? error.message : failure.message);
}

function fullMessage(error: GatewayError, vendor: Vendor): string {
  const { cause } = toGatewayError(error);
  const message = cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
  return withoutCredentials({ status: 0, message, retry_after_ms: null }, vendor).message;
}
