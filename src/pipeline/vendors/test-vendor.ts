import type { ClientProtocol, VendorFailure } from "../../core/answer/exchange.ts";
import type { Vendor, VendorEndpoint } from "../../core/catalog/catalog.ts";
import type { Protocol } from "../../core/endpoints.ts";
import { GatewayError } from "../../core/errors.ts";
import type { MeteredCall } from "../../routing/route-meters.ts";
import type { UpstreamCall } from "../../wire/client/call.ts";
import type { UpstreamReply } from "../../wire/client/reply.ts";
import { UpstreamError } from "../../wire/client/upstream-error.ts";
import { requestFor } from "../ask/request-for.ts";
import { judgeEvent, judgeStatus, judgeThrown } from "../ask/vendor-failure.ts";
import { withoutCredentials } from "../ask/without-credentials.ts";
import type { PipelineDeps } from "../call/deps.ts";
import { chooseTarget, type TestAnswer, type TestExchange, type TestTargetDeps } from "./test-target.ts";

/** The result of a test call; a refusal by the vendor is a result too. */
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
  readonly usage: TestAnswer["usage"];
  readonly failure: { readonly code: string; readonly message: string } | null;
}

export type VendorTestDeps = TestTargetDeps & Pick<PipelineDeps, "upstream" | "breakers" | "meters">;

const PATIENCE_MS = 20_000;

/**
 * Makes one small call to a vendor, as for a client's request: with the same encoders, credentials and connections. It
 * holds and charges nothing and ends within 20 seconds. An answer closes the route's circuit; a failure opens none.
 * Throws a GatewayError (`invalid_request`) where the vendor has no such model, or no model that can be tested
 * (docs/rulings.md 112).
 */
export async function testVendor(
  deps: VendorTestDeps,
  protocol: ClientProtocol,
  asked_for: { readonly vendor: Vendor; readonly model: string | null; readonly key?: string | undefined },
): Promise<VendorTestResult> {
  const { vendor, key } = asked_for;
  const { model, route, endpoint, prepare } = chooseTarget(deps, protocol, vendor, asked_for.model);
  const exchange = prepare();
  const metered = deps.meters.begin(vendor.id, route.upstream_model);
  const asked = await ask(deps, protocol, { vendor, endpoint, metered }, exchange);
  if (asked.failure === null) {
    metered.completed();
    deps.breakers.close(vendor.id, route.upstream_model);
    if (key !== undefined) deps.breakers.credentials.end(vendor.id, key);
  } else if (asked.failure.code === protocol.general_error) metered.ended();
  else metered.failed(asked.failure.code, asked.status);
  return {
    model: model.id,
    upstream_model: route.upstream_model,
    protocol: endpoint.protocol,
    ...asked,
    failure: asked.failure && { code: asked.failure.code, message: fullMessage(asked.failure, vendor) },
  };
}

type TestOutcome = Omit<VendorTestResult, "model" | "upstream_model" | "protocol" | "failure"> & {
  readonly failure: GatewayError | null;
};

/** Makes the call and returns its result; never throws. */
async function ask(
  deps: VendorTestDeps,
  protocol: ClientProtocol,
  { vendor, endpoint, metered }: { vendor: Vendor; endpoint: VendorEndpoint; metered: MeteredCall },
  exchange: TestExchange,
): Promise<TestOutcome> {
  const began_ms = deps.clock.monotonic_ms();
  const since = () => Math.round(deps.clock.monotonic_ms() - began_ms);
  let status: number | null = null;
  let first_byte_ms: number | null = null;
  const call = deps.upstream.start({ ...requestFor({ vendor, endpoint }, exchange), timeouts: bounded(vendor) });
  const failed = (failure: GatewayError): TestOutcome => {
    return { status, first_byte_ms, duration_ms: since(), text: null, usage: null, failure };
  };
  try {
    return await withinPatience(call, async (reply) => {
      status = reply.status;
      first_byte_ms = since();
      metered.answered();
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

/**
 * Limits the time of the whole test: fetching a credential counts too, while the call's own deadlines begin after it.
 */
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

async function read(reply: UpstreamReply, exchange: TestExchange): Promise<TestAnswer> {
  if (reply.status >= 200 && reply.status <= 299) return exchange.read(await reply.readWhole());
  const failure = exchange.readError(reply.status, await reply.readErrorText());
  return { text: null, usage: null, failure };
}

/** The error code that a client would get, with the vendor's own words, which an administrator may read. */
function judged(failure: VendorFailure, status: number | null, protocol: ClientProtocol): GatewayError {
  const inside = status !== null && status >= 200 && status <= 299;
  const { error } = (inside ? judgeEvent : judgeStatus)(failure, protocol.general_error);
  return new GatewayError(error.code, failure.message === "" ? error.message : failure.message);
}

function fullMessage(error: GatewayError, vendor: Vendor): string {
  const { cause } = error;
  const message = cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
  return withoutCredentials({ status: 0, message, retry_after_ms: null }, vendor).message;
}
