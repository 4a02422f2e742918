import { MailError } from "../mail/smtp-server.ts";
import { PostError } from "../webhooks/guarded-client.ts";

/** How a try to send something ended. */
export type Tried =
  | { readonly how: "sent" | "not_needed"; readonly status: number | null }
  | {
      readonly how: "failed";
      readonly status: number | null;
      /** In a few words that have no address, no secret and nothing of an answer. */
      readonly reason: string;
      /** Another try would fail as well. */
      readonly is_final: boolean;
      /** The mail server itself cannot be used: other letters would fare alike. */
      readonly is_of_server: boolean;
      /** The receiver says that there is nobody any more. */
      readonly is_gone: boolean;
    };

const GONE = 410;

/** What a receiver's status says: 2xx is taken, 410 ends the target, and everything else is tried again. */
export function triedWith(status: number): Tried {
  if (status >= 200 && status < 300) return { how: "sent", status };
  const is_gone = status === GONE;
  const redirects = status >= 300 && status < 400;
  const reason = `the receiver answered ${status}${redirects ? ", and redirects are not followed" : ""}`;
  return { how: "failed", status, reason, is_final: is_gone, is_of_server: false, is_gone };
}

/** The outcome of a failed try. Throws errors that are not about sending. */
export function failedWith(thrown: unknown): Tried & { readonly how: "failed" } {
  const about = { how: "failed", status: null, is_gone: false } as const;
  if (thrown instanceof MailError)
    return { ...about, reason: thrown.message, is_final: thrown.is_final, is_of_server: thrown.is_of_server };
  // A name may lead to a public address tomorrow, as people mend their records: it is tried for its day.
  if (thrown instanceof PostError) return { ...about, reason: thrown.message, is_final: false, is_of_server: false };
  throw thrown;
}
