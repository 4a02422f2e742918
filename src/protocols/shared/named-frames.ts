import { eventData, isComment, joinFrames, leadingEventName, nameFrame } from "./event-frames.ts";
import { SseFrames } from "./sse-frames.ts";

/** What the client gets of a frame now, null for nothing. The name is empty for comments. */
export type TakeFrame = (name: string, frame: Buffer) => Buffer | null;

/** Cuts the stream of a style that names its events into frames, and asks for each by its name what is to become of it. */
export class NamedFrames {
  readonly #frames = new SseFrames();
  readonly #takeNamed: TakeFrame;

  constructor(take: TakeFrame) {
    this.#takeNamed = take;
  }

  /** Takes the vendor's next bytes; gives what the client gets now. */
  push(chunk: Uint8Array): Buffer {
    this.#frames.feed(chunk);
    const out: Buffer[] = [];
    for (let frame = this.#frames.next(); frame !== null; frame = this.#frames.next()) {
      const sent = this.#take(frame);
      if (sent !== null) out.push(sent);
    }
    return joinFrames(out);
  }

  /** A last frame without its blank line counts if its data is whole. */
  end(): Buffer {
    const frame = this.#frames.end();
    const sent = frame === null || eventData(frame) === null ? null : this.#take(frame);
    return joinFrames(sent === null ? [] : [sent]);
  }

  #take(frame: Buffer): Buffer | null {
    const name = leadingEventName(frame);
    if (name !== "") return this.#takeNamed(name, frame);
    const named = nameFrame(frame);
    // What is no event, such as `[DONE]` or a web page, means nothing in these styles.
    return named.name !== "" || isComment(frame) ? this.#takeNamed(named.name, named.bytes) : null;
  }
}
