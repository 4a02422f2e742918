import { memo } from "react";
import { Badge } from "../../../kit/badge.tsx";
import { Button, IconButton } from "../../../kit/button.tsx";
import { CodeBlock } from "../../../kit/code-block.tsx";
import { CopyButton } from "../../../kit/copy-button.tsx";
import { formatCount, formatDuration } from "../../../kit/format.ts";
import { Notice } from "../../../kit/states.tsx";
import { STYLES } from "../endpoints.ts";
import { FailureView } from "../failure-view.tsx";
import { Prose } from "../prose.tsx";
import { RequestCharge } from "../request-charge.tsx";
import { parse } from "../wire/failure.ts";
import { isRunning, type Run, type ToolCall } from "./turns.ts";

/** An answer while it streams and afterwards: its reasoning, text, tool calls, failure, tokens and times. */
export const AnswerView = memo(function AnswerView({ run, onRetry }: { run: Run; onRetry: (() => void) | undefined }) {
  const { answer, phase, failure, ignored } = run;
  const silent = answer.text === "" && answer.refusal === "" && answer.calls.length === 0;
  return (
    <article aria-label={`Answer of ${run.model}`} aria-busy={isRunning(run)} className="min-w-0 space-y-3">
      <div className="flex min-h-9 items-center justify-between gap-3">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-[0.85rem] text-ink-soft">
          <span className="font-medium text-ink">{run.model}</span>
          <span>{STYLES[run.style].label}</span>
          {phase === "stopped" && <Badge tone="warn">stopped</Badge>}
          {answer.finish !== null &&
            !["stop", "end_turn", "completed", "tool_calls", "tool_use"].includes(answer.finish) && (
              <Badge tone="warn">{answer.finish.replaceAll("_", " ")}</Badge>
            )}
        </p>
        {!isRunning(run) && (
          <span className="flex shrink-0 items-center">
            {onRetry && !failure && <IconButton icon="refresh" label="Answer again" onClick={onRetry} />}
            {answer.text !== "" && <CopyButton value={answer.text} label="Copy the answer" />}
          </span>
        )}
      </div>
      {answer.reasoning !== "" && <Reasoning text={answer.reasoning} open={silent && isRunning(run)} />}
      {answer.text !== "" && <Prose text={answer.text} />}
      {answer.refusal !== "" && <Notice tone="warn">Declined: {answer.refusal}</Notice>}
      {answer.calls.map((call) => (
        <CallView key={call.id} call={call} />
      ))}
      {silent && isRunning(run) && <Waiting />}
      {failure && (
        <FailureView
          failure={failure}
          action={
            onRetry && (
              <Button size="small" icon="refresh" onClick={onRetry}>
                Try again
              </Button>
            )
          }
        />
      )}
      {ignored.length > 0 && (
        <p className="text-[0.85rem] text-ink-soft">
          Left out, since the model cannot take it: <span className="font-mono">{ignored.join(", ")}</span>
        </p>
      )}
      {!isRunning(run) && <RunFooter run={run} />}
    </article>
  );
});

function Waiting() {
  return (
    <p className="flex items-center gap-1.5 text-ink-soft">
      <span aria-hidden="true" className="size-2 animate-pulse rounded-full bg-accent" />
      Waiting for the answer
    </p>
  );
}

function Reasoning({ text, open }: { text: string; open: boolean }) {
  return (
    <details open={open} className="min-w-0 rounded-lg border border-line bg-canvas">
      <summary className="rounded-lg px-3 py-1.5 text-[0.9rem] font-medium text-ink-soft">Reasoning</summary>
      <p className="max-h-72 overflow-y-auto px-3 pb-2.5 text-[0.92rem] whitespace-pre-wrap text-ink-soft">{text}</p>
    </details>
  );
}

function CallView({ call }: { call: ToolCall }) {
  const value = parse(call.arguments);
  const shown = value === undefined ? call.arguments : JSON.stringify(value, null, 2);
  return (
    <div className="min-w-0 space-y-1.5">
      <p className="flex flex-wrap items-center gap-2 text-[0.9rem]">
        <Badge tone="info">Tool call</Badge>
        <code className="font-mono font-medium">{call.name}</code>
        <code className="font-mono text-[0.8rem] break-all text-ink-soft">{call.id}</code>
      </p>
      <CodeBlock code={shown || "{}"} label={`arguments of ${call.name}`} />
    </div>
  );
}

/** Tokens, times and the charge. */
function RunFooter({ run }: { run: Run }) {
  const { answer, first_ms, duration_ms, request_id } = run;
  return (
    <footer className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[0.85rem] text-ink-soft">
      {answer.usage && (
        <span>
          {formatCount(answer.usage.input)} tokens in, {formatCount(answer.usage.output)} out
        </span>
      )}
      {first_ms !== null && <span data-hint="Time to first token">first after {formatDuration(first_ms)}</span>}
      {duration_ms !== null && <span>{formatDuration(duration_ms)} in all</span>}
      {request_id !== null && <RequestCharge request_id={request_id} />}
    </footer>
  );
}
