import type { AnswerBlock, AssembledAnswer } from "../../core/answer/answer.ts";
import type {
  BlockEnd,
  BlockKind,
  FinishEvent,
  StartEvent,
  StreamEvent,
  TokenLogprob,
} from "../../core/answer/stream-event.ts";

/**
 * The answer that a legal sequence of events builds, or null when it has no `finish`. A whole answer is written from
 * it, so that its content equals that of the stream.
 */
export function foldEvents(events: readonly StreamEvent[]): AssembledAnswer | null {
  let start: StartEvent | null = null;
  let finish: FinishEvent | null = null;
  let open: FoldedBlock | null = null;
  const blocks: AnswerBlock[] = [];
  for (const event of events) {
    switch (event.type) {
      case "start":
        start = event;
        break;
      case "block-start":
        open = { kind: event.block, text: "", logprobs: null };
        break;
      case "block-delta":
        if (open !== null) addDelta(open, event.text, event.logprobs);
        break;
      case "block-end":
        if (open !== null) blocks.push(closed(open, event));
        open = null;
        break;
      case "finish":
        finish = event;
        break;
      case "error":
        return null;
    }
  }
  if (finish === null) return null;
  const { reason, stop_sequence, raw_reason } = finish;
  const usage = finish.usage ?? start?.usage ?? null;
  return { id: start?.id ?? null, created: start?.created ?? null, blocks, reason, stop_sequence, raw_reason, usage };
}

interface FoldedBlock {
  readonly kind: BlockKind;
  text: string;
  logprobs: TokenLogprob[] | null;
}

function addDelta(block: FoldedBlock, text: string, logprobs: readonly TokenLogprob[] | undefined): void {
  block.text += text;
  if (logprobs === undefined) return;
  block.logprobs ??= [];
  for (const logprob of logprobs) block.logprobs.push(logprob);
}

function closed({ kind, text, logprobs }: FoldedBlock, { opaque }: BlockEnd): AnswerBlock {
  return { ...kind, text, ...(opaque && { opaque }), ...(logprobs && { logprobs }) };
}
