import type { Vendor } from "../../core/catalog/catalog.ts";

/**
 * Who pays for an answer that does not end well (docs/rulings.md 24, 143, 159). The pipeline asks these tables; a test
 * makes every one of their cells happen, and docs/billing.md shows them.
 */

/** How far a vendor's answer had come. */
export type Phase =
  /** The vendor was asked, and the head of its answer had not come. */
  | "asked"
  /** The head of the answer, or its first event, had come. */
  | "opened"
  /** Content had come, and was passed on. Answers that are not streamed never come here: they arrive at once. */
  | "begun";

/** The cause of an answer's end. */
export type Cause =
  /** The vendor refused, failed, fell silent or sent a body that is no answer. */
  | "vendor_failed"
  /** The client left, and the vendor's call was closed. */
  | "client_left"
  /** The wallet or the budget could not pay for more output. */
  | "money_ended"
  /** The gateway itself failed: the client gets a 500, or an error of that kind inside its stream. */
  | "gateway_failed";

/** The charge: nothing, or the input and the delivered output. */
export type Charge = "nothing" | "delivered";

export const CHARGES: Readonly<Record<Cause, Readonly<Record<Phase, Charge>>>> = {
  vendor_failed: { asked: "nothing", opened: "nothing", begun: "delivered" },
  client_left: { asked: "nothing", opened: "delivered", begun: "delivered" },
  money_ended: { asked: "nothing", opened: "delivered", begun: "delivered" },
  gateway_failed: { asked: "nothing", opened: "nothing", begun: "nothing" },
};

/** Whether everything that a vendor makes for an answer is seen while it streams. */
export type Visibility = "seen" | "unseen";

/**
 * Whether a vendor's answer is read to its end after its client has left. The whole answer is then charged by the vendor's usage, as if the
 * client were connected.
 */
export const DRAINS_VENDOR: Readonly<Record<Vendor["on_disconnect"], Readonly<Record<Visibility, boolean>>>> = {
  auto: { seen: false, unseen: true },
  abort: { seen: false, unseen: false },
  drain: { seen: true, unseen: true },
};
