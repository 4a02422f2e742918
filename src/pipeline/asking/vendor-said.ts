import type { VendorFailure } from "../../core/exchange.ts";
import { redactSecrets } from "../../protocols/shared/redact-secrets.ts";
import type { UpstreamError } from "../../wire/client/upstream-error.ts";

/** What a vendor said when an attempt failed, for the receipt: without secrets, and short. */
export interface Said {
  readonly text: string;
  /** Whether it is about the operator's own account or network at the vendor, and so for administrators only. */
  readonly is_private: boolean;
}

/** The most characters that a receipt keeps: they are stored with every failed attempt. */
const LONGEST = 400;

/** Statuses by which a vendor speaks of the gateway's credential or of its own catalogue: clients never get these sentences. */
const TO_OPERATOR: ReadonlySet<number> = new Set([401, 403, 404]);

/** A vendor's sentence, which has been cleaned of what looks like a secret and of the credentials that were sent. */
export function saidBy({ status, message }: VendorFailure): Said {
  return { text: bounded(message), is_private: TO_OPERATOR.has(status) };
}

/** What the transport saw in place of an answer. It may name addresses and files of the operator. */
export function saidByTransport({ message }: UpstreamError): Said {
  return { text: bounded(redactSecrets(message)), is_private: true };
}

/** What the gateway found wrong with a vendor's answer, in the sentence that the client gets too. */
export function saidOfAnswer(message: string): Said {
  return { text: bounded(redactSecrets(message)), is_private: false };
}

/** Cut so that no character is halved. */
function bounded(text: string): string {
  if (text.length <= LONGEST) return text.toWellFormed();
  const cut = text.slice(0, LONGEST - 1);
  const last = cut.charCodeAt(cut.length - 1);
  const is_half = last >= 0xd800 && last <= 0xdbff;
  return `${(is_half ? cut.slice(0, -1) : cut).toWellFormed()}…`;
}
