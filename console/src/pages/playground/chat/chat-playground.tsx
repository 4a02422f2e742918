import { type ReactNode, useEffect, useState } from "react";
import type { Model } from "../../../../../contract/models.ts";
import type { PromptContent } from "../../../../../contract/prompts.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { Select } from "../../../kit/input.tsx";
import { EmptyState } from "../../../kit/states.tsx";
import { Tabs } from "../../../kit/tabs.tsx";
import { useUrlState } from "../../../kit/url-state.ts";
import { type ChatStyle, STYLES } from "../endpoints.ts";
import { PlaygroundLayout, StickyFoot } from "../playground-layout.tsx";
import { RawEvents } from "../raw-events.tsx";
import { RequestCode } from "../request-code.tsx";
import { Comparison } from "./comparison.tsx";
import { Composer, ToolResults } from "./composer.tsx";
import { ConversationView } from "./conversation-view.tsx";
import { forgetOpenedForm, openedForm } from "./opened-form.ts";
import { Parameters } from "./parameters.tsx";
import { contentOf, settingsIn } from "./prompt-content.ts";
import { Prompts } from "./prompts.tsx";
import { PROTOCOLS } from "./protocols.ts";
import { fitSettings, NO_SETTINGS, type Settings, settingsAreSound } from "./settings.ts";
import { openCalls, type Run, runsOf, type Turn } from "./turns.ts";
import { type Conversation, useConversation } from "./use-conversation.ts";

interface Props {
  readonly account: string;
  readonly model: Model;
  /** The models that get the same messages beside it. */
  readonly others: readonly Model[];
  /** Chooses the models: the first, and those beside it. */
  readonly onModels: (ids: readonly string[]) => void;
  /** Chooses the model and the style of a prompt that was opened. */
  readonly onPrompt: (content: PromptContent) => void;
  readonly style: ChatStyle;
  /** The choice of model and style, shown above the parameters. */
  readonly choice: ReactNode;
}

const GREETING: Turn = { role: "user", text: "Hello!", images: [] };

/** A conversation in one of the three styles, or several models side by side. */
export function ChatPlayground({ account, model, others, onModels, onPrompt, style, choice }: Props) {
  const [opened] = useState(() => openedForm(account));
  useEffect(() => forgetOpenedForm(account), [account]);
  const [settings, setSettings] = useState<Settings>(opened === undefined ? NO_SETTINGS : settingsIn(opened));
  const [text, setText] = useState(opened?.message ?? "");
  const fitted = [model, ...others].map((each) => fitSettings(settings, each, style));
  const blocked = fitted.every((each) => settingsAreSound(each, style)) ? null : "Fix the parameters first.";
  const message = { blocked, text, onText: setText };
  const leaveOut = (id: string) => onModels([model, ...others].flatMap((each) => (each.id === id ? [] : [each.id])));
  return (
    <PlaygroundLayout
      summary={[[model, ...others].map(({ id }) => id).join(", "), STYLES[style].label].join(" · ")}
      choice={choice}
      parameters={
        <div className="space-y-4">
          <Parameters model={model} style={style} settings={settings} onChange={setSettings} />
          <Prompts
            account={account}
            content={() => contentOf(settings, { model: model.id, style, message: text })}
            onOpen={({ content }) => {
              setSettings(settingsIn(content));
              setText(content.message ?? "");
              onPrompt(content);
            }}
          />
        </div>
      }
      main={
        others.length > 0 ? (
          <Comparison models={[model, ...others]} onRemove={leaveOut} {...{ account, style, settings }} {...message} />
        ) : (
          <OneConversation {...{ account, model, style }} settings={fitted[0] ?? settings} {...message} />
        )
      }
    />
  );
}

interface ConversationProps extends Pick<Props, "account" | "model" | "style"> {
  /** The settings that the model takes. */
  readonly settings: Settings;
  readonly blocked: string | null;
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** A conversation with one model, with its raw events and its request as code. */
function OneConversation({ account, model, style, settings, blocked, text, onText }: ConversationProps) {
  const conversation = useConversation(account);
  const { turns, running, stop } = conversation;
  useEscape(running, stop);
  const takes_images = model.input_modalities.includes("image");
  const bodyOf = (asked: readonly Turn[]) =>
    PROTOCOLS[style].body({
      model: model.id,
      turns: asked,
      settings,
      most_tokens: model.max_completion_tokens,
    });
  const send = (turn: Turn | null) => conversation.send(turn, { style, model: model.id, body: bodyOf });
  const calls = openCalls(turns);
  return (
    <Card>
      <Views conversation={conversation} style={style} draft={() => bodyOf([GREETING])} onRetry={() => send(null)} />
      <StickyFoot>
        {calls.length > 0 ? (
          <ToolResults key={calls[0]?.id} calls={calls} running={running} onSend={send} onStop={stop} />
        ) : (
          <Composer {...{ running, blocked, takes_images, text, onText }} onSend={send} onStop={stop} />
        )}
      </StickyFoot>
    </Card>
  );
}

function useEscape(running: boolean, stop: () => void): void {
  useEffect(() => {
    if (!running) return;
    const onKeyDown = (event: KeyboardEvent) => event.key === "Escape" && !event.defaultPrevented && stop();
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [running, stop]);
}

/** The phases of a request as screen readers read them. */
const PHASES: Readonly<Record<Run["phase"], string>> = {
  waiting: "Waiting for the answer",
  streaming: "The answer is coming",
  done: "The answer is complete",
  stopped: "Stopped",
  failed: "The request failed",
};

function Views({
  conversation,
  style,
  draft,
  onRetry,
}: {
  conversation: Conversation;
  style: ChatStyle;
  draft: () => Run["body"];
  onRetry: () => void;
}) {
  const [{ tab }, setSearch] = useUrlState("tab");
  const [chosen, setChosen] = useState<number | null>(null);
  const { turns, last } = conversation;
  const runs = runsOf(turns);
  const run = runs.find(({ id }) => id === chosen) ?? last;
  const choice = runs.length > 1 && run && (
    <div className="mb-3 flex justify-end">
      <Select
        label="Request"
        hide_label
        options={runs.map(({ id, model }, index) => ({ value: String(id), label: `Request ${index + 1}: ${model}` }))}
        value={String(run.id)}
        onChange={(typed) => setChosen(Number(typed))}
      />
    </div>
  );
  const shown = tab === "events" || tab === "code" ? tab : "conversation";
  return (
    <div>
      <span role="status" className="sr-only">
        {last && PHASES[last.phase]}
      </span>
      <Tabs
        label="Views of the conversation"
        value={shown}
        onChange={(id) => setSearch({ tab: id === "conversation" ? undefined : id })}
        tabs={[
          {
            id: "conversation",
            label: "Conversation",
            content: <ConversationView turns={turns} onRetry={onRetry} />,
          },
          {
            id: "events",
            label: "Raw events",
            content: (
              <>
                {choice}
                <Events run={run} />
              </>
            ),
          },
          {
            id: "code",
            label: "Code",
            content: (
              <>
                {choice}
                <RequestCode style={run?.style ?? style} body={run?.body ?? draft()} />
              </>
            ),
          },
        ]}
        aside={
          turns.length > 0 && (
            <Button kind="quiet" size="small" onClick={conversation.clear}>
              Clear
            </Button>
          )
        }
      />
    </div>
  );
}

function Events({ run }: { run: Run | undefined }) {
  if (run === undefined || run.events.length === 0) {
    return (
      <EmptyState icon="requests" title="No events yet">
        {run?.phase === "failed"
          ? "The request was refused before its stream began."
          : "Send a message: each event of the stream appears here exactly as it comes, with its time."}
      </EmptyState>
    );
  }
  return <RawEvents events={run.events} total_ms={run.duration_ms} />;
}
