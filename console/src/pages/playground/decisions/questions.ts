import type { Body, ImageFile } from "../chat/turns.ts";
import type { Json } from "../code/literals.ts";
import type { DecisionShape } from "../endpoints.ts";

export type QuestionType = "predicate" | "choice" | "score";

/** An option of a choice, or a level of a score (lowest first). */
export interface OptionDraft {
  readonly id: number;
  readonly value: string;
  readonly description: string;
}

/** A question in the form. Fields of types that are not chosen keep their values. */
export interface QuestionDraft {
  readonly id: number;
  readonly type: QuestionType;
  readonly name: string;
  readonly instructions: string;
  readonly choices: readonly OptionDraft[];
  readonly levels: readonly OptionDraft[];
}

let ids = 0;

export function newOption(value = "", description = ""): OptionDraft {
  ids += 1;
  return { id: ids, value, description };
}

export function newQuestion(given: Partial<Omit<QuestionDraft, "id">> = {}): QuestionDraft {
  ids += 1;
  return {
    id: ids,
    type: "predicate",
    name: "",
    instructions: "",
    choices: [newOption(), newOption()],
    levels: [newOption(), newOption()],
    ...given,
  };
}

/** An example to try “Decide” with at once: one question of each type. */
export const EXAMPLE_INPUT =
  "My parcel was due on Monday and still has not come. I have written twice and got no answer. I want my money back today.";

export function exampleQuestions(): QuestionDraft[] {
  return [
    newQuestion({ name: "refund", instructions: "The customer asks for money back." }),
    newQuestion({
      type: "choice",
      name: "team",
      instructions: "Which team should answer?",
      choices: [
        newOption("delivery", "the parcel has not come, is late or is lost"),
        newOption("billing", "an invoice or a card is wrong"),
        newOption("technical", "the app or the website does not work"),
      ],
    }),
    newQuestion({
      type: "score",
      name: "urgency",
      instructions: "How soon must someone answer?",
      levels: [
        newOption("low", "whenever there is time"),
        newOption("medium", "this week"),
        newOption("high", "today, the customer has written before"),
      ],
    }),
  ];
}

interface DecisionDraft {
  readonly model: string;
  readonly input: string;
  readonly images: readonly ImageFile[];
  readonly questions: readonly QuestionDraft[];
}

/** A question's name in the keyed shape, where every question has one. */
function keyOf(question: QuestionDraft, index: number): string {
  return question.name.trim() || `question_${index + 1}`;
}

export function decisionBody(shape: DecisionShape, draft: DecisionDraft): Body {
  return shape === "decisions" ? arrayBody(draft) : keyedBody(draft);
}

/** The body of POST /v1/decisions (docs/api.md 4.6). */
function arrayBody({ model, input, images, questions }: DecisionDraft): Body {
  const pictures = images.map(({ url }) => ({ type: "input_image", image_url: url }));
  return {
    model,
    input:
      images.length === 0 ? input : [{ role: "user", content: [{ type: "input_text", text: input }, ...pictures] }],
    questions: questions.map((question) => {
      const { type, instructions } = question;
      const name = question.name.trim();
      const head = { type, ...(name === "" ? {} : { name }), instructions };
      if (type === "choice") return { ...head, choices: question.choices.map((option) => described("value", option)) };
      if (type === "score") return { ...head, levels: question.levels.map((option) => described("label", option)) };
      return head;
    }),
  };
}

function described(field: "value" | "label", { value, description }: OptionDraft): { [name: string]: Json } {
  return { [field]: value, ...(description.trim() === "" ? {} : { description }) };
}

/** The body of POST /v1/systemone (docs/api.md 4.7). */
function keyedBody({ model, input, images, questions }: DecisionDraft): Body {
  return {
    model,
    state: input,
    ...(images.length === 0 ? {} : { images: images.map(({ url }) => url) }),
    questions: Object.fromEntries(
      questions.map((question, index) => [keyOf(question, index), keyedQuestion(question)]),
    ),
  };
}

function keyedQuestion({ type, instructions, choices, levels }: QuestionDraft): Json {
  if (type === "predicate") return { type: "noul", instructions };
  if (type === "score") {
    const words = levels.map(({ value, description }) =>
      description.trim() === "" ? value : `${value}: ${description}`,
    );
    return { type: "score", instructions, criteria: words };
  }
  const options = choices.map(({ value, description }) => [value, description.trim() === "" ? null : description]);
  return { type: "choice", instructions, criteria: Object.fromEntries(options) as { [name: string]: Json } };
}

/** A name that two questions share, which the keyed shape cannot express; null when all names differ. */
export function repeatedName(questions: readonly QuestionDraft[]): string | null {
  const names = questions.map(keyOf);
  return names.find((name, index) => names.indexOf(name) !== index) ?? null;
}
