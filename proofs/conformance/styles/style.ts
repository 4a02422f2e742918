import type { Answer } from "../answer.ts";
import type { Question } from "../question.ts";
import type { Fields } from "../read-fields.ts";

/** The model and the streaming mode of a request. */
export interface Asked {
  readonly model: string;
  readonly stream: boolean;
}

/** A client's style: writes its requests, and reads answers as strictly as strict clients do. */
export interface Style {
  readonly path: string | ((asked: Asked) => string);
  readonly headers: Readonly<Record<string, string>>;
  body(question: Question, asked: Asked): Fields;
  /** Reads a whole answer. Throws a Violation for an answer that does not have the style's shape. */
  readWhole(text: string): Answer;
  /** Checks the stream against the style's grammar, then reads the answer that it contains. */
  readStream(text: string, question: Question): Answer;
  /** The message of an error response. */
  readError(body: Fields): string;
}
