import type { Answer } from "../answer.ts";
import type { Question } from "../question.ts";
import type { Fields } from "../read-fields.ts";

/** How a question is asked in a style. */
export interface Asked {
  readonly model: string;
  readonly stream: boolean;
}

/** A client's style: how it asks, and how it reads answers as strictly as strict clients do. */
export interface Style {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  body(question: Question, asked: Asked): Fields;
  /** Throws a Violation for an answer that is not of the style's shape. */
  readWhole(text: string): Answer;
  /** Judges the whole stream by the style's grammar, then reads what it comes to. */
  readStream(text: string, question: Question): Answer;
  /** The sentence of an error that came with its status. */
  readError(body: Fields): string;
}
