import { type ReactNode, useEffect, useRef } from "react";
import type { Model } from "../../../../../contract/models.ts";
import { Badge } from "../../../kit/badge.tsx";
import { Card } from "../../../kit/card.tsx";
import { CodeBlock } from "../../../kit/code-block.tsx";
import { formatDuration } from "../../../kit/format.ts";
import { EmptyState, SkeletonRows } from "../../../kit/states.tsx";
import { Tabs } from "../../../kit/tabs.tsx";
import { useUrlState } from "../../../kit/url-state.ts";
import { isSend, SendOrStop } from "../chat/composer.tsx";
import type { Body } from "../chat/turns.ts";
import { type DecisionShape, STYLES, type Task } from "../endpoints.ts";
import { FailureView } from "../failure-view.tsx";
import { PlaygroundLayout } from "../playground-layout.tsx";
import { RequestCharge } from "../request-charge.tsx";
import { RequestCode } from "../request-code.tsx";
import { type Call, type CallRun, type Read, useCall } from "./use-call.ts";

/** What the page of every endpoint that is asked once gets. */
export interface OnceProps {
  readonly account: string;
  readonly model: Model;
  readonly choice: ReactNode;
}

interface Props<Answer> extends OnceProps {
  readonly style: DecisionShape | Task;
  /** The form's heading, its fields, and what can be pressed beside its button. */
  readonly title: string;
  readonly form: ReactNode;
  readonly action?: ReactNode;
  /** The fields beside the form, of what is rarely changed. */
  readonly parameters?: ReactNode;
  /** The word on the button. */
  readonly verb: string;
  readonly body: Body;
  /** Why the request cannot be sent; "" where the form shows by itself what it lacks, null where it can be sent. */
  readonly blocked: string | null;
  /** What comes of a press, said until there is an answer. */
  readonly promise: string;
  readonly read: (response: Response) => Promise<Read<Answer>>;
  readonly show: (answer: Answer) => ReactNode;
}

/** A form that is sent as one request, and its answer with its charge, as it came, and as a program. */
export function CallPlayground<Answer>(props: Props<Answer>) {
  const { account, model, style, choice, parameters, title, form, action, verb, body, blocked } = props;
  const call = useCall(account, props.read);
  const { running, stop } = call;
  const ready = !running && blocked === null;
  const send = () => ready && call.send(style, body);
  useEscape(running, stop);
  return (
    <PlaygroundLayout
      summary={`${model.id} · ${STYLES[style].label}`}
      choice={choice}
      parameters={parameters}
      main={
        <>
          <Card title={title}>
            <form
              className="space-y-4"
              onSubmit={(event) => {
                event.preventDefault();
                send();
              }}
              onKeyDown={(event) => {
                if (!isSend(event)) return;
                event.preventDefault();
                send();
              }}
            >
              {form}
              <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
                {action}
                <span className="flex-1 text-[0.85rem] text-ink-soft">
                  {blocked || <span className="max-sm:hidden">Ctrl or ⌘ with Enter sends, Escape stops.</span>}
                </span>
                <SendOrStop running={running} ready={ready} onStop={stop} label={verb} />
              </div>
            </form>
          </Card>
          <Outcome {...props} run={call.run} />
        </>
      }
    />
  );
}

function useEscape(running: boolean, stop: Call<unknown>["stop"]): void {
  useEffect(() => {
    if (!running) return;
    const onKeyDown = (event: KeyboardEvent) => event.key === "Escape" && stop();
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [running, stop]);
}

type OutcomeProps<Answer> = Pick<Props<Answer>, "style" | "body" | "verb" | "promise" | "show"> & {
  readonly run: CallRun<Answer> | null;
};

function Outcome<Answer>({ run, style, body, verb, promise, show }: OutcomeProps<Answer>) {
  const [{ tab }, setSearch] = useUrlState("tab");
  const shown = tab === "events" || tab === "code" ? tab : "answer";
  const place = useRef<HTMLDivElement>(null);
  const ended = run !== null && run.phase !== "running";
  // The form is long, so pressing its button scrolls to the result.
  useEffect(() => {
    if (ended) place.current?.scrollIntoView({ block: "start" });
  }, [ended]);
  const nothing = (
    <EmptyState icon="playground" title="No answer yet">
      Press “{verb}”: {promise}
    </EmptyState>
  );
  return (
    <div ref={place} className="scroll-mt-16 lg:scroll-mt-5">
      <Card>
        <Tabs
          label="Views of the answer"
          value={shown}
          onChange={(id) => setSearch({ tab: id === "answer" ? undefined : id })}
          tabs={[
            { id: "answer", label: "Answer", content: <Answered run={run} show={show} nothing={nothing} /> },
            {
              id: "events",
              label: "Raw answer",
              content: run?.read ? <CodeBlock code={run.read.raw} label="answer as it came" /> : nothing,
            },
            { id: "code", label: "Code", content: <RequestCode style={style} body={body} /> },
          ]}
        />
        {run !== null && ended && <RunFooter run={run} />}
      </Card>
    </div>
  );
}

function Answered<Answer>({
  run,
  show,
  nothing,
}: Pick<OutcomeProps<Answer>, "run" | "show"> & { readonly nothing: ReactNode }) {
  if (run === null) return nothing;
  if (run.phase === "running") return <SkeletonRows />;
  if (run.failure) return <FailureView failure={run.failure} />;
  if (run.read === null) return <Badge tone="warn">stopped</Badge>;
  return show(run.read.answer);
}

function RunFooter({ run }: { run: CallRun<unknown> }) {
  return (
    <footer className="mt-4 flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line pt-3 text-[0.85rem] text-ink-soft">
      <span>{STYLES[run.style].label}</span>
      {run.duration_ms !== null && <span>{formatDuration(run.duration_ms)}</span>}
      {run.request_id !== null && <RequestCharge request_id={run.request_id} />}
    </footer>
  );
}
