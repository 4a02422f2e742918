import type { CredentialHeader, Vendor, VendorEndpoint } from "../core/catalog.ts";
import type { Exchange, StreamAnswer, VendorFailure, WholeAnswer } from "../core/exchange.ts";
import { signerFor } from "../upstream/credentials/signer-for.ts";
import type { UpstreamCall, UpstreamReply, UpstreamRequest } from "../upstream/send.ts";
import { HoldGuard } from "./hold-guard.ts";
import type { PlannedCandidate } from "./plan.ts";
import type { RunningRequest } from "./running-request.ts";
import {
  type AttemptVerdict,
  judgeEmpty,
  judgeEvent,
  judgeStatus,
  judgeThrown,
  readRetryAfter,
} from "./vendor-failure.ts";
import { withoutCredentials } from "./without-credentials.ts";

/** A vendor's answer that may go to the client: from here on nothing is retried. */
export type OpenedAnswer = OpenedWhole | OpenedStream;

export interface OpenedWhole {
  readonly kind: "whole";
  readonly candidate: PlannedCandidate;
  readonly exchange: Exchange;
  readonly answer: WholeAnswer;
}

export interface OpenedStream {
  readonly kind: "stream";
  readonly candidate: PlannedCandidate;
  readonly exchange: Exchange;
  readonly reply: UpstreamReply;
  readonly answer: StreamAnswer;
  readonly guard: HoldGuard;
  /** What the client gets first: at least one whole event, unless the stream was complete at once. */
  readonly first: Uint8Array;
}

/** Holds the call that is under way, so that a client that leaves can close it at any moment. */
export interface CallHolder {
  current: UpstreamCall | null;
}

/** One try at one vendor, up to the point where its answer is known to be one. */
export async function attempt(
  run: RunningRequest,
  candidate: PlannedCandidate,
  exchange: Exchange,
  holder: CallHolder,
): Promise<OpenedAnswer | AttemptVerdict> {
  const { clock, upstream } = run.deps;
  const started_ms = clock.monotonic_ms();
  let status: number | null = null;
  let first_byte_ms: number | null = null;
  const finish = (verdict: AttemptVerdict): AttemptVerdict => {
    run.attempted(candidate, started_ms, { status, error: verdict.error, first_byte_ms });
    return verdict;
  };
  try {
    const call = upstream.start(requestFor(candidate, exchange));
    holder.current = call;
    const reply = await call.reply;
    status = reply.status;
    first_byte_ms = clock.monotonic_ms() - started_ms;
    if (status < 200 || status > 299) return finish(await readFailure(run, candidate, exchange, reply));
    const opened = run.request.stream
      ? await openStream(run, candidate, exchange, reply)
      : await openWhole(run, candidate, exchange, reply);
    if (!("kind" in opened)) return finish(opened);
    run.firstByte();
    run.attempted(candidate, started_ms, { status, error: null, first_byte_ms });
    return opened;
  } catch (thrown) {
    return finish(judgeThrown(thrown, status !== null));
  }
}

async function readFailure(
  run: RunningRequest,
  { vendor }: PlannedCandidate,
  exchange: Exchange,
  reply: UpstreamReply,
): Promise<AttemptVerdict> {
  const failure = withoutCredentials(exchange.readError(reply.status, await reply.readErrorText()), vendor);
  const retry_after_ms =
    failure.retry_after_ms ?? readRetryAfter(reply.headers.get("retry-after"), run.deps.clock.now_ms());
  return judgeStatus({ ...failure, retry_after_ms }, run.call.protocol.general_error);
}

async function openWhole(
  run: RunningRequest,
  candidate: PlannedCandidate,
  exchange: Exchange,
  reply: UpstreamReply,
): Promise<OpenedWhole | AttemptVerdict> {
  const answer = exchange.readWhole(await reply.readWhole());
  if (answer.failure !== null) return judgeInside(run, candidate, answer.failure);
  return { kind: "whole", candidate, exchange, answer };
}

async function openStream(
  run: RunningRequest,
  candidate: PlannedCandidate,
  exchange: Exchange,
  reply: UpstreamReply,
): Promise<OpenedStream | AttemptVerdict> {
  const answer = exchange.openStream();
  const guard = new HoldGuard(run, candidate);
  try {
    for (;;) {
      const came = guard.waiting ?? (await reply.read());
      const chunk = came === null ? null : guard.cover(came, answer.output_bytes);
      const first = chunk === null ? answer.end() : answer.push(chunk);
      // A failure in the same bytes as the opening frames still has its true status, unless content came before it.
      if (answer.failure !== null && !answer.has_content) {
        reply.close();
        return judgeInside(run, candidate, answer.failure);
      }
      if (first.byteLength > 0 || answer.terminated)
        return { kind: "stream", candidate, exchange, reply, answer, guard, first };
      if (chunk === null) return judgeEmpty();
    }
  } catch (thrown) {
    reply.close();
    throw thrown;
  }
}

/** A failure that a vendor told inside its answer. */
export function judgeInside(run: RunningRequest, { vendor }: PlannedCandidate, failure: VendorFailure): AttemptVerdict {
  return judgeEvent(withoutCredentials(failure, vendor), run.call.protocol.general_error);
}

/** The call that an exchange makes of an endpoint. */
export function requestFor(
  candidate: Pick<PlannedCandidate, "vendor" | "endpoint">,
  exchange: Pick<Exchange, "path" | "headers" | "body">,
): UpstreamRequest {
  const { vendor, endpoint } = candidate;
  const sign = signerFor(vendor, endpoint);
  return {
    url: endpoint.base_url + exchange.path,
    headers: { ...baseHeaders(vendor, endpoint), ...exchange.headers },
    body: exchange.body,
    timeouts: vendor.timeouts,
    ...(sign !== null && { sign }),
  };
}

const headers_by_endpoint = new WeakMap<VendorEndpoint, Record<string, string>>();

/** The headers that every request to a vendor's endpoint has. Nothing of the client's own headers is among them. */
function baseHeaders(vendor: Vendor, endpoint: VendorEndpoint): Record<string, string> {
  const known = headers_by_endpoint.get(endpoint);
  if (known !== undefined) return known;
  const headers = {
    "content-type": "application/json",
    // Compressed events could only be passed on after unpacking, and small events do not compress.
    "accept-encoding": "identity",
    "user-agent": "camino",
    ...credentialHeader(vendor.api_key, endpoint.credential),
    ...vendor.headers,
  };
  headers_by_endpoint.set(endpoint, headers);
  return headers;
}

function credentialHeader(api_key: string | null, credential: CredentialHeader): Record<string, string> {
  if (api_key === null) return {};
  switch (credential) {
    case "bearer":
      return { authorization: `Bearer ${api_key}` };
    case "x-api-key":
    case "api-key":
    case "x-goog-api-key":
      return { [credential]: api_key };
    case "sigv4":
    case "google-service-account":
    case "none":
      return {};
  }
}
