import type { AnswerReport, StreamAnswer, VendorFailure } from "../../src/core/answer/exchange.ts";

/** The results of a recorded stream that was fed to a meter in pieces of one size. */
export interface Replayed extends AnswerReport {
  /** The client's bytes before the end of the stream; `output` also has the end, if the stream was complete. */
  readonly before_end: string;
  readonly output: string;
  readonly has_content: boolean;
  readonly failure: VendorFailure | null;
  readonly complete: boolean;
  readonly terminated: boolean;
}

/** Feeds `bytes` in pieces of `size` (the whole at once when null), ends the stream, and finishes it if it is whole. */
export function replay(answer: StreamAnswer, bytes: Buffer, size: number | null): Replayed {
  const out: Uint8Array[] = [];
  const step = size ?? bytes.length;
  for (let at = 0; at < bytes.length; at += step) {
    // Each piece is a copy, as each of a socket's is: a meter must not rely on the bytes around it.
    out.push(answer.push(Uint8Array.from(bytes.subarray(at, at + step))));
  }
  out.push(answer.end());
  const before_end = Buffer.concat(out).toString();
  if (answer.complete && answer.failure === null) out.push(answer.finish());
  return {
    before_end,
    output: Buffer.concat(out).toString(),
    has_content: answer.has_content,
    failure: answer.failure,
    complete: answer.complete,
    terminated: answer.terminated,
    usage: answer.usage,
    rejected_usage: answer.rejected_usage,
    output_bytes: answer.output_bytes,
    output_sample: answer.output_sample,
  };
}

/** The ways a stream is replayed: every size of pieces with every kind of line end must give the same result. */
export const PIECE_SIZES: readonly (number | null)[] = [null, 7, 1];

/** The same events with lines that end in CRLF. */
export function withCrlf(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString().replaceAll("\n", "\r\n"));
}
