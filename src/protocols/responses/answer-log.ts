/** What is remembered of an answer, so that it can be closed with its full output if it must be cut. */

/** A frame that opened or closed something, or the first of a run of deltas, whose text is a stretch of the tape. */
export interface LogEntry {
  readonly frame: Buffer;
  readonly from: number;
  to: number;
}

/** The frames that say something of the output itself, and not only of the progress towards it. */
const OF_THE_OUTPUT = /_part\.added$|annotation\.added$|\.done$/;

/**
 * Keeps references to the frames that build an answer up. Nothing is parsed: deltas that follow each other are one
 * entry, and once every item is closed only the frames that closed them are left.
 */
export class AnswerLog {
  /** The newest frame that carries the response object. */
  response: Buffer | null = null;
  /** The frames that closed items, each with the whole item. */
  readonly closed: Buffer[] = [];
  /** What came since the last moment without an open item. */
  open: LogEntry[] = [];
  #open_items = 0;
  #run: { readonly name: string; readonly entry: LogEntry } | null = null;

  /** A frame other than a delta. */
  note(name: string, frame: Buffer): void {
    this.#run = null;
    switch (name) {
      case "response.created":
      case "response.in_progress":
      case "response.queued":
        this.response = frame;
        return;
      case "response.output_item.added":
        this.#open_items++;
        break;
      case "response.output_item.done":
        this.closed.push(frame);
        this.#open_items = Math.max(0, this.#open_items - 1);
        if (this.#open_items === 0) this.open = [];
        return;
      default:
        if (!OF_THE_OUTPUT.test(name)) return;
    }
    this.open.push({ frame, from: 0, to: 0 });
  }

  /** A delta, whose text went to the tape between two positions. */
  noteDelta(name: string, frame: Buffer, from: number, to: number): void {
    // While one item is open, deltas of one kind without anything in between belong to one text.
    if (this.#run?.name === name && this.#open_items <= 1) {
      this.#run.entry.to = to;
      return;
    }
    const entry = { frame, from, to };
    this.#run = { name, entry };
    this.open.push(entry);
  }
}
