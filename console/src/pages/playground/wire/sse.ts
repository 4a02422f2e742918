/** One frame of a stream of server-sent events. */
export interface SseFrame {
  /** The frame's lines exactly, without the empty line that ends it. */
  readonly raw: string;
  /** The `event` field; "message" where it is absent, as the standard says. */
  readonly event: string;
  /** The `data` fields, joined by line feeds; null in a frame without `data` (a comment, a retry). */
  readonly data: string | null;
}

/**
 * Takes a stream's text in pieces of any size and gives back its frames. Lines may end in LF, CRLF or CR, also in
 * the middle of a piece; a frame in which the stream breaks off is not returned.
 */
export class SseDecoder {
  #rest = "";
  #lines: string[] = [];

  push(piece: string): SseFrame[] {
    const text = this.#rest + piece;
    const frames: SseFrame[] = [];
    let begin = 0;
    for (const match of text.matchAll(/\r\n|\n|\r/g)) {
      const end = match.index + match[0].length;
      // A CR at the end may be the first half of a CRLF: only the next piece shows it.
      if (match[0] === "\r" && end === text.length) break;
      this.#take(text.slice(begin, match.index), frames);
      begin = end;
    }
    this.#rest = text.slice(begin);
    return frames;
  }

  /** The text of the incomplete frame at the end of the stream; empty after a whole frame. */
  get unfinished(): string {
    return [...this.#lines, this.#rest].join("\n").trim();
  }

  #take(line: string, frames: SseFrame[]): void {
    if (line !== "") {
      this.#lines.push(line);
      return;
    }
    if (this.#lines.length > 0) frames.push(frameOf(this.#lines));
    this.#lines = [];
  }
}

function frameOf(lines: readonly string[]): SseFrame {
  let event = "message";
  const data: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") event = value;
    if (field === "data") data.push(value);
  }
  return { raw: lines.join("\n"), event, data: data.length === 0 ? null : data.join("\n") };
}

/** The frames of a response's body as they come. Throws the errors of reading, an abort included. */
export async function* readFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<SseFrame> {
  const decoder = new SseDecoder();
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield* decoder.push(value);
    }
    // A CR at the end of the stream ends a line.
    yield* decoder.push("\n");
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
