/** Writes the frames of one responses stream; numbers them from 0 without gaps (docs/rulings.md 5). */
export class EventWriter {
  #sequence_number = 0;

  /** `fields` are the event's further members, as JSON without the braces. */
  frame(type: string, fields: string): string {
    return `event: ${type}\ndata: {"type":"${type}",${fields},"sequence_number":${this.#sequence_number++}}\n\n`;
  }

  /** A frame of a run of equal ones: `head` is all that comes before what differs. */
  next(head: string, fields: string): string {
    return `${head}${fields},"sequence_number":${this.#sequence_number++}}\n\n`;
  }

  /** The head of such a run. */
  head(type: string, fields: string): string {
    return `event: ${type}\ndata: {"type":"${type}",${fields},"delta":`;
  }
}
