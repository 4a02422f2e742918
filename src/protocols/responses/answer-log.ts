/** The record of a streamed answer from which a cut stream can be closed with its full output. */

/**
 * A frame that opened or closed a part or item, or the first of a run of deltas; `from` and `to` are where their text
 * stands on the tape.
 */
export interface LogEntry {
  readonly frame: Buffer;
  readonly from: number;
  to: number;
}

/** The events that change the output itself; other events only report progress. */
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
  /** The frames since the last moment at which no item was open. */
  open: LogEntry[] = [];
  #open_items = 0;
  #run: { readonly name: string; readonly entry: LogEntry } | null = null;

  /** Takes a frame other than a delta. */
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

  /** Takes a delta, whose text stands on the tape from `from` to `to`. */
  noteDelta(name: string, frame: Buffer, from: number, to: number): void {
    // While only one item is open, deltas of one kind in a row belong to one text.
    if (this.#run?.name === name && this.#open_items <= 1) {
      this.#run.entry.to = to;
      return;
    }
    const entry = { frame, from, to };
    this.#run = { name, entry };
    this.open.push(entry);
  }
}
