import type { Exchange, VendorFailure } from "../core/exchange.ts";
import type { MeteredCall } from "../routing/route-meters.ts";
import type { UpstreamCall } from "../upstream/call.ts";
import type { UpstreamReply } from "../upstream/reply.ts";
import type { PricedCandidate } from "./plan.ts";
import { requestFor } from "./request-for.ts";
import type { Search } from "./search.ts";
import { type AttemptVerdict, judgeEvent, judgeStatus, judgeThrown, readRetryAfter } from "./vendor-failure.ts";
import { withoutCredentials } from "./without-credentials.ts";

/** Holds the call that is under way, so that a client that leaves can close it at any moment. */
export interface CallHolder {
  current: UpstreamCall | null;
}

/** What a call to a vendor is made of, and how a refusal of it is read. */
export type VendorExchange = Pick<Exchange, "path" | "headers" | "body" | "readError">;

/** What is asked of one candidate. */
export interface Errand<Opened> {
  readonly candidate: PricedCandidate;
  readonly exchange: VendorExchange;
  /** Reads the beginning of a reply whose status is good. An answer that goes on takes the meter along. */
  readonly open: (reply: UpstreamReply, metered: MeteredCall) => Promise<Opened | AttemptVerdict>;
}

/** One try at one vendor, up to the point where its answer is known to be one. */
export async function attempt<Opened extends { readonly kind: string; readonly metered?: MeteredCall }>(
  search: Search,
  errand: Errand<Opened>,
  holder: CallHolder,
): Promise<Opened | AttemptVerdict> {
  const { candidate, exchange } = errand;
  const { clock, upstream } = search.deps;
  const started_ms = clock.monotonic_ms();
  let status: number | null = null;
  let first_byte_ms: number | null = null;
  const metered = search.deps.meters.begin(candidate.vendor.id, candidate.route.upstream_model);
  const finish = (verdict: AttemptVerdict): AttemptVerdict => {
    endMetered(metered, verdict, status);
    search.attempted(candidate, started_ms, { status, error: verdict.error, first_byte_ms });
    return verdict;
  };
  try {
    const call = upstream.start(requestFor(candidate, exchange));
    holder.current = call;
    const reply = await call.reply;
    status = reply.status;
    first_byte_ms = clock.monotonic_ms() - started_ms;
    if (status < 200 || status > 299) return finish(await readFailure(search, errand, reply));
    metered.answered();
    const opened = await errand.open(reply, metered);
    if (!("kind" in opened)) return finish(opened);
    if (opened.metered === undefined) metered.completed();
    search.firstByte();
    search.attempted(candidate, started_ms, { status, error: null, first_byte_ms });
    return opened;
  } catch (thrown) {
    return finish(judgeThrown(thrown, status !== null));
  }
}

/** Rate limits count as the vendor's errors; an answer that was not waited for tells nothing. */
function endMetered(metered: MeteredCall, { health, error }: AttemptVerdict, status: number | null): void {
  if (health === "failed" || error.code === "provider_rate_limited") metered.failed(error.code, status);
  else if (health === "fine") metered.ended();
  else metered.forgotten();
}

async function readFailure(
  search: Search,
  { candidate: { vendor }, exchange }: Pick<Errand<unknown>, "candidate" | "exchange">,
  reply: UpstreamReply,
): Promise<AttemptVerdict> {
  const failure = withoutCredentials(exchange.readError(reply.status, await reply.readErrorText()), vendor);
  const retry_after_ms =
    failure.retry_after_ms ?? readRetryAfter(reply.headers.get("retry-after"), search.deps.clock.now_ms());
  return judgeStatus({ ...failure, retry_after_ms }, search.call.general_error);
}

/** A failure that a vendor told inside its answer. */
export function judgeInside(search: Search, { vendor }: PricedCandidate, failure: VendorFailure): AttemptVerdict {
  return judgeEvent(withoutCredentials(failure, vendor), search.call.general_error);
}
