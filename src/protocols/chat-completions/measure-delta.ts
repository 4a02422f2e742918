import type { ContentTape } from "../shared/content-tape.ts";

const DELTA = Buffer.from('"delta"');
const CONTENT = Buffer.from('"content"');
const REASONING_CONTENT = Buffer.from('"reasoning_content"');
const REASONING = Buffer.from('"reasoning"');
const REFUSAL = Buffer.from('"refusal"');
const ARGUMENTS = Buffer.from('"arguments"');
const INPUT = Buffer.from('"input"');
const TEXT = Buffer.from('"text"');
const TRANSCRIPT = Buffer.from('"transcript"');

/**
 * Puts the generated text of a chunk on the tape; the text is found by its key, without parsing. False when the chunk
 * has no text; it may still have other content. Reasoning has two names; a vendor that sends both repeats the text.
 */
export function measureDelta(frame: Buffer, tape: ContentTape): boolean {
  const from = Math.max(0, frame.indexOf(DELTA));
  const has_text = tape.take(frame, CONTENT, from);
  const has_reasoning = tape.take(frame, REASONING_CONTENT, from) || tape.take(frame, REASONING, from);
  const has_arguments = takeEach(frame, ARGUMENTS, from, tape);
  const has_refusal = tape.take(frame, REFUSAL, from);
  if (has_text || has_reasoning || has_arguments || has_refusal) return true;
  // Content in blocks, the input of custom tools, and transcripts of audio.
  return (
    takeEach(frame, TEXT, from, tape) || takeEach(frame, INPUT, from, tape) || takeEach(frame, TRANSCRIPT, from, tape)
  );
}

/** Several tool calls may come whole in one chunk. */
function takeEach(frame: Buffer, key: Buffer, from: number, tape: ContentTape): boolean {
  let found = false;
  for (let at = frame.indexOf(key, from); at !== -1; at = frame.indexOf(key, at + key.length)) {
    if (tape.take(frame, key, at)) found = true;
  }
  return found;
}
