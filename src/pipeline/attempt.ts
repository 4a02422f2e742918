import type { Exchange, VendorFailure } from "../core/exchange.ts";
import type { UpstreamCall, UpstreamReply } from "../upstream/send.ts";
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
  /** Reads the beginning of a reply whose status is good. */
  readonly open: (reply: UpstreamReply) => Promise<Opened | AttemptVerdict>;
}

/** One try at one vendor, up to the point where its answer is known to be one. */
export async function attempt<Opened extends { readonly kind: string }>(
  search: Search,
  errand: Errand<Opened>,
  holder: CallHolder,
): Promise<Opened | AttemptVerdict> {
  const { candidate, exchange } = errand;
  const { clock, upstream } = search.deps;
  const started_ms = clock.monotonic_ms();
  let status: number | null = null;
  let first_byte_ms: number | null = null;
  const finish = (verdict: AttemptVerdict): AttemptVerdict => {
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
    const opened = await errand.open(reply);
    if (!("kind" in opened)) return finish(opened);
    search.firstByte();
    search.attempted(candidate, started_ms, { status, error: null, first_byte_ms });
    return opened;
  } catch (thrown) {
    return finish(judgeThrown(thrown, status !== null));
  }
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
