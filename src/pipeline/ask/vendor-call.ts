import type { AnswerReport } from "../../core/answer/exchange.ts";
import type { Log } from "../../observe/log.ts";
import { quietly } from "../../observe/quietly.ts";
import type { UpstreamCall } from "../../wire/client/call.ts";
import type { PricedCandidate } from "../plan/prospects.ts";
import type { VendorExchange } from "./request-for.ts";

/** How often closing a call is tried before the vendor's time limits have to. */
const MOST_TRIES = 3;

/** The call to a vendor that runs now: the request's owner can end it at any moment, and knows how much of the answer has arrived. */
export class VendorCall {
  current: Pick<UpstreamCall, "abort"> | null = null;
  /** The candidate that was asked last. */
  asked: PricedCandidate | null = null;
  /** What it was asked with. */
  exchange: Pick<VendorExchange, "body" | "parts" | "pieces"> | null = null;
  /** The answer that the candidate has begun; null before the head of an answer. */
  begun: BegunAnswer | null = null;

  /** Closes the call, if it still runs. Never throws. */
  close(log: Log): void {
    let is_closed = false;
    for (let tries = 0; !is_closed && tries < MOST_TRIES; tries += 1) {
      quietly(log, () => {
        this.current?.abort();
        is_closed = true;
      });
    }
  }
}

/** An answer whose head has arrived: the basis of the charge if the client leaves now. */
export interface BegunAnswer {
  readonly candidate: PricedCandidate;
  /** The report on the answer so far; null before its first bytes. */
  readonly report: AnswerReport | null;
}
