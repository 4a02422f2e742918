import { useState } from "react";
import { Button } from "../../../kit/button.tsx";
import { Textarea } from "../../../kit/input.tsx";
import type { ImageFile } from "../chat/turns.ts";
import type { DecisionShape } from "../endpoints.ts";
import { ImageButton, Thumbnails } from "../image-picker.tsx";
import { CallPlayground, type OnceProps } from "../once/call-playground.tsx";
import type { Read } from "../once/use-call.ts";
import { parse } from "../wire/failure.ts";
import { AnswersView } from "./answers-view.tsx";
import { QuestionEditor } from "./question-editor.tsx";
import { decisionBody, EXAMPLE_INPUT, exampleQuestions, newQuestion, repeatedName } from "./questions.ts";
import { readAnswers, type ShownAnswer } from "./read-answers.ts";

const MOST_QUESTIONS = 200;

/** Asks questions about an input, in either shape, and shows the answers with their probabilities. */
export function DecisionPlayground({ shape, ...props }: OnceProps & { readonly shape: DecisionShape }) {
  const { model } = props;
  const [input, setInput] = useState(EXAMPLE_INPUT);
  const [images, setImages] = useState<readonly ImageFile[]>([]);
  const [questions, setQuestions] = useState(exampleQuestions);
  const takes_images = model.input_modalities.includes("image");
  const repeated = shape === "systemone" ? repeatedName(questions) : null;
  const is_empty = input.trim() === "" && images.length === 0;
  return (
    <CallPlayground
      {...props}
      style={shape}
      title="Input"
      verb="Decide"
      promise="every question is answered with probabilities, in one request."
      body={decisionBody(shape, { model: model.id, input, images: takes_images ? images : [], questions })}
      blocked={
        repeated === null
          ? is_empty
            ? ""
            : null
          : `Two questions are called “${repeated}”; this shape needs different names.`
      }
      read={readDecisions}
      show={(answers) => <AnswersView answers={answers} />}
      action={
        <Button
          icon="plus"
          disabled={questions.length >= MOST_QUESTIONS}
          onClick={() => setQuestions([...questions, newQuestion()])}
        >
          Add a question
        </Button>
      }
      form={
        <>
          <Textarea
            label="What to decide about"
            hide_label
            rows={4}
            placeholder="The text that the questions are about"
            value={input}
            onChange={setInput}
          />
          {takes_images && (
            <div className="flex flex-wrap items-center gap-3">
              <ImageButton onAdd={(added) => setImages([...images, ...added])} />
              <Thumbnails images={images} onRemove={(gone) => setImages(images.filter((image) => image !== gone))} />
            </div>
          )}
          {questions.map((question, index) => (
            <QuestionEditor
              key={question.id}
              number={index + 1}
              question={question}
              onChange={(changed) => setQuestions(questions.map((each) => (each.id === changed.id ? changed : each)))}
              onRemove={
                questions.length === 1
                  ? undefined
                  : () => setQuestions(questions.filter(({ id }) => id !== question.id))
              }
            />
          ))}
        </>
      }
    />
  );
}

async function readDecisions(response: Response): Promise<Read<readonly ShownAnswer[]>> {
  const raw = await response.text();
  return { raw, answer: readAnswers(parse(raw)) };
}
