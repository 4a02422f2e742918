import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Model } from "../../../../../contract/models.ts";
import { Badge } from "../../../kit/badge.tsx";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { CodeBlock } from "../../../kit/code-block.tsx";
import { formatDuration } from "../../../kit/format.ts";
import { Textarea } from "../../../kit/input.tsx";
import { EmptyState, SkeletonRows } from "../../../kit/states.tsx";
import { Tabs } from "../../../kit/tabs.tsx";
import { useUrlState } from "../../../kit/url-state.ts";
import { isSend, SendOrStop } from "../chat/composer.tsx";
import type { Body, ImageFile } from "../chat/turns.ts";
import { type DecisionShape, STYLES } from "../endpoints.ts";
import { FailureView } from "../failure-view.tsx";
import { ImageButton, Thumbnails } from "../image-picker.tsx";
import { PlaygroundLayout } from "../playground-layout.tsx";
import { RequestCharge } from "../request-charge.tsx";
import { RequestCode } from "../request-code.tsx";
import { AnswersView } from "./answers-view.tsx";
import { QuestionEditor } from "./question-editor.tsx";
import { decisionBody, EXAMPLE_INPUT, exampleQuestions, newQuestion, repeatedName } from "./questions.ts";
import { type DecisionRun, useDecision } from "./use-decision.ts";

interface Props {
  readonly account: string;
  readonly model: Model;
  readonly shape: DecisionShape;
  readonly choice: ReactNode;
}

const MOST_QUESTIONS = 200;

/** Asks questions about an input, in either shape, and shows the answers with their probabilities. */
export function DecisionPlayground({ account, model, shape, choice }: Props) {
  const [input, setInput] = useState(EXAMPLE_INPUT);
  const [images, setImages] = useState<readonly ImageFile[]>([]);
  const [questions, setQuestions] = useState(exampleQuestions);
  const decision = useDecision(account);
  const { running, stop } = decision;
  const takes_images = model.input_modalities.includes("image");
  const body = decisionBody(shape, { model: model.id, input, images: takes_images ? images : [], questions });
  const repeated = shape === "systemone" ? repeatedName(questions) : null;
  const ready = !running && repeated === null && (input.trim() !== "" || images.length > 0);
  const decide = () => ready && decision.decide(shape, body);
  useEffect(() => {
    if (!running) return;
    const onKeyDown = (event: KeyboardEvent) => event.key === "Escape" && stop();
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [running, stop]);
  return (
    <PlaygroundLayout
      summary={`${model.id} · ${STYLES[shape].label}`}
      choice={choice}
      main={
        <>
          <Card title="Input">
            <form
              className="space-y-4"
              onSubmit={(event) => {
                event.preventDefault();
                decide();
              }}
              onKeyDown={(event) => {
                if (!isSend(event)) return;
                event.preventDefault();
                decide();
              }}
            >
              <Textarea
                label="What to decide about"
                hide_label
                rows={4}
                placeholder="The text that the questions are about"
                value={input}
                onChange={(event) => setInput(event.target.value)}
              />
              {takes_images && (
                <div className="flex flex-wrap items-center gap-3">
                  <ImageButton onAdd={(added) => setImages([...images, ...added])} />
                  <Thumbnails
                    images={images}
                    onRemove={(gone) => setImages(images.filter((image) => image !== gone))}
                  />
                </div>
              )}
              {questions.map((question, index) => (
                <QuestionEditor
                  key={question.id}
                  number={index + 1}
                  question={question}
                  onChange={(changed) =>
                    setQuestions(questions.map((each) => (each.id === changed.id ? changed : each)))
                  }
                  onRemove={
                    questions.length === 1
                      ? undefined
                      : () => setQuestions(questions.filter(({ id }) => id !== question.id))
                  }
                />
              ))}
              <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
                <Button
                  icon="plus"
                  disabled={questions.length >= MOST_QUESTIONS}
                  onClick={() => setQuestions([...questions, newQuestion()])}
                >
                  Add a question
                </Button>
                <span className="flex-1 text-[0.85rem] text-ink-soft">
                  {repeated === null ? (
                    <span className="max-sm:hidden">Ctrl or ⌘ with Enter decides.</span>
                  ) : (
                    `Two questions are called “${repeated}”; this shape needs different names.`
                  )}
                </span>
                <SendOrStop running={running} ready={ready} onStop={stop} label="Decide" />
              </div>
            </form>
          </Card>
          <Outcome run={decision.run} draft={body} shape={shape} />
        </>
      }
    />
  );
}

function Outcome({ run, draft, shape }: { run: DecisionRun | null; draft: Body; shape: DecisionShape }) {
  const [{ tab }, setSearch] = useUrlState("tab");
  const shown = tab === "events" || tab === "code" ? tab : "answers";
  const place = useRef<HTMLDivElement>(null);
  const ended = run !== null && run.phase !== "running";
  // The form is long, so pressing its button scrolls to the result.
  useEffect(() => {
    if (ended) place.current?.scrollIntoView({ block: "start" });
  }, [ended]);
  return (
    <div ref={place} className="scroll-mt-16 lg:scroll-mt-5">
      <Card>
        <Tabs
          label="Views of the decision"
          value={shown}
          onChange={(id) => setSearch({ tab: id === "answers" ? undefined : id })}
          tabs={[
            { id: "answers", label: "Answers", content: <Answers run={run} /> },
            {
              id: "events",
              label: "Raw answer",
              content: run?.raw ? <CodeBlock code={run.raw} label="answer as it came" /> : <NothingYet />,
            },
            { id: "code", label: "Code", content: <RequestCode style={shape} body={draft} /> },
          ]}
        />
        {run && run.phase !== "running" && <RunFooter run={run} />}
      </Card>
    </div>
  );
}

function Answers({ run }: { run: DecisionRun | null }) {
  if (run === null) return <NothingYet />;
  if (run.phase === "running") return <SkeletonRows />;
  if (run.failure) return <FailureView failure={run.failure} />;
  if (run.phase === "stopped") return <Badge tone="warn">stopped</Badge>;
  return <AnswersView answers={run.answers} />;
}

function NothingYet() {
  return (
    <EmptyState icon="playground" title="No answers yet">
      Press “Decide”: every question is answered with probabilities, in one request.
    </EmptyState>
  );
}

function RunFooter({ run }: { run: DecisionRun }) {
  return (
    <footer className="mt-4 flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line pt-3 text-[0.85rem] text-ink-soft">
      <span>{STYLES[run.shape].label}</span>
      {run.duration_ms !== null && <span>{formatDuration(run.duration_ms)}</span>}
      {run.request_id !== null && <RequestCharge request_id={run.request_id} />}
    </footer>
  );
}
