import type { VendorFailure } from "../../core/answer/exchange.ts";
import { redactSecrets } from "../../protocols/shared/redact-secrets.ts";
import type { UpstreamError } from "../../wire/client/upstream-error.ts";

/** Why an attempt failed, as the receipt shows it: the sentence of the vendor, the transport or the gateway, without secrets, and short. */
export interface FailureReason {
  readonly text: string;
  /** Whether the sentence is about the operator's own account or network at the vendor, and so for administrators only. */
  readonly is_private: boolean;
  /** Whether it is the vendor's own sentence, which may quote the request: it is in the receipt, and in no log. */
  readonly is_quoted?: true;
}

/** The most characters that a receipt keeps: they are stored with every failed attempt. */
const LONGEST = 400;

/** Statuses by which a vendor speaks of the gateway's credential or of its own catalogue: clients never get these sentences. */
const TO_OPERATOR: ReadonlySet<number> = new Set([401, 403, 404]);

/** The vendor's own sentence. The caller has cleaned it of what looks like a secret and of the credentials that were sent. */
export function reasonOfVendor({ status, message }: VendorFailure): FailureReason {
  return { text: bounded(message), is_private: TO_OPERATOR.has(status), is_quoted: true };
}

/** The transport's sentence where there was no answer. It may name addresses and files of the operator. */
export function reasonOfTransport({ message }: UpstreamError): FailureReason {
  return { text: bounded(redactSecrets(message)), is_private: true };
}

/** The gateway's sentence about a wrong answer of a vendor. The client gets it too. */
export function reasonOfAnswer(message: string): FailureReason {
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
