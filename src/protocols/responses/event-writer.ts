/** Writes the frames of one responses stream; numbers them from 0 without gaps (docs/rulings.md 5). */
export class EventWriter {
  #sequence_number = 0;

  /** `fields` are the event's further members, as JSON without the braces. */
  frame(type: string, fields: string): string {
    return `event: ${type}\ndata: {"type":"${type}",${fields},"sequence_number":${this.#sequence_number++}}\n\n`;
  }

  /** A frame of a run of frames that differ only after `head`. */
  next(head: string, fields: string): string {
    return `${head}${fields},"sequence_number":${this.#sequence_number++}}\n\n`;
  }

  /** The beginning that the frames of such a run share. */
  head(type: string, fields: string): string {
    return `event: ${type}\ndata: {"type":"${type}",${fields},"delta":`;
  }
}
