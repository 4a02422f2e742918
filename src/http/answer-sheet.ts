interface Line {
  value: string | null;
  /** The last answer that had it. */
  answer: number;
}

/**
 * The headers of answers, one after the other on the same sheet. Most have the same names and some the same values as
 * those before, and a Response that is given headers takes a copy of them at once: that costs half of what it costs to
 * give it a record, every name of which is checked and stored anew.
 *
 * Every answer writes all of its headers. What the one before had and this one did not write is taken off.
 */
export class AnswerSheet {
  readonly #headers = new Headers();
  readonly #lines = new Map<string, Line>();
  #answer = 0;
  #written = 0;

  /** Begins the next answer. */
  begin(): void {
    this.#answer += 1;
    this.#written = 0;
  }

  /** Writes a header. The name is in lower case. */
  set(name: string, value: string): void {
    const line = this.#lines.get(name) ?? this.#addLine(name);
    if (line.value !== value) {
      this.#headers.set(name, value);
      line.value = value;
    }
    if (line.answer === this.#answer) return;
    line.answer = this.#answer;
    this.#written += 1;
  }

  /** What was written since the beginning. To be copied before the next answer begins. */
  get headers(): Headers {
    if (this.#written !== this.#lines.size) this.#tidy();
    return this.#headers;
  }

  #addLine(name: string): Line {
    const line = { value: null, answer: 0 };
    this.#lines.set(name, line);
    return line;
  }

  #tidy(): void {
    for (const [name, { answer }] of this.#lines) {
      if (answer === this.#answer) continue;
      this.#lines.delete(name);
      this.#headers.delete(name);
    }
  }
}
