import { ApiError } from "./api-error.ts";
import { newIdempotencyKey } from "./idempotency-key.ts";

/** A change on its way, or a change with an unknown outcome. */
interface Sent<Answer> {
  readonly once: string;
  /** Null when no answer came, so that a repeat is sent with the same key. */
  flight: Promise<Answer> | null;
}

/**
 * Makes a sender that makes each change once: a second call with the same input waits for the first one's answer, and a call
 * after a lost answer is a repeat, with the first one's `Idempotency-Key`. An answer, or a refusal, ends it: the next call is
 * another change.
 */
export function sendOnce<Input, Answer>(send: (input: Input, once: string) => Promise<Answer>) {
  const sent = new Map<string, Sent<Answer>>();
  return (input: Input): Promise<Answer> => {
    const name = JSON.stringify(input) ?? "";
    const each = sent.get(name) ?? { once: newIdempotencyKey(), flight: null };
    sent.set(name, each);
    each.flight ??= send(input, each.once).then(
      (answer) => {
        sent.delete(name);
        return answer;
      },
      (thrown: unknown) => {
        each.flight = null;
        if (!isUnknown(thrown)) sent.delete(name);
        throw thrown;
      },
    );
    return each.flight;
  };
}

/** Whether the change may have been made although no answer came. */
function isUnknown(thrown: unknown): boolean {
  return !(thrown instanceof ApiError) || thrown.status === 0 || thrown.status >= 500;
}
