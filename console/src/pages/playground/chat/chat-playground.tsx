import { type ReactNode, useEffect, useState } from "react";
import type { Model } from "../../../../../contract/models.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { Select } from "../../../kit/input.tsx";
import { EmptyState } from "../../../kit/states.tsx";
import { Tabs } from "../../../kit/tabs.tsx";
import { useUrlState } from "../../../kit/url-state.ts";
import type { ChatStyle } from "../endpoints.ts";
import { PlaygroundLayout } from "../playground-layout.tsx";
import { RawEvents } from "../raw-events.tsx";
import { RequestCode } from "../request-code.tsx";
import { Composer, ToolResults } from "./composer.tsx";
import { ConversationView } from "./conversation-view.tsx";
import { Parameters } from "./parameters.tsx";
import { PROTOCOLS } from "./protocols.ts";
import { NO_SETTINGS, type Settings, settingsAreSound } from "./settings.ts";
import { openCalls, type Run, runsOf, type Turn } from "./turns.ts";
import { type Conversation, useConversation } from "./use-conversation.ts";

interface Props {
  readonly account: string;
  readonly model: Model;
  readonly style: ChatStyle;
  /** The choice of model and style, shown above the parameters. */
  readonly choice: ReactNode;
}

const GREETING: Turn = { role: "user", text: "Hello!", images: [] };

/** A conversation in one of the three styles, with its raw events and its request as code. */
export function ChatPlayground({ account, model, style, choice }: Props) {
  const conversation = useConversation(account);
  const [settings, setSettings] = useState<Settings>(NO_SETTINGS);
  const { turns, running, stop } = conversation;
  useEscape(running, stop);
  const takes_images = model.input_modalities.includes("image");
  const fitted = fitSettings(settings, model);
  const bodyOf = (asked: readonly Turn[]) =>
    PROTOCOLS[style].body({
      model: model.id,
      turns: asked,
      settings: fitted,
      most_tokens: model.max_completion_tokens,
    });
  const send = (turn: Turn | null) => conversation.send(turn, { style, model: model.id, body: bodyOf });
  const calls = openCalls(turns);
  const blocked = settingsAreSound(fitted) ? null : "Put the parameters right first.";
  return (
    <PlaygroundLayout
      choice={choice}
      parameters={<Parameters model={model} style={style} settings={settings} onChange={setSettings} />}
      main={
        <Card>
          <Views
            conversation={conversation}
            style={style}
            draft={() => bodyOf([GREETING])}
            onRetry={() => send(null)}
          />
          <div className="-mx-4 mt-4 border-t border-line px-4 pt-4 sm:-mx-5 sm:px-5">
            {calls.length > 0 ? (
              <ToolResults key={calls[0]?.id} calls={calls} running={running} onSend={send} onStop={stop} />
            ) : (
              <Composer running={running} blocked={blocked} takes_images={takes_images} onSend={send} onStop={stop} />
            )}
          </div>
        </Card>
      }
    />
  );
}

/** The settings that the model takes. Other settings stay in the form, for a model that takes them. */
function fitSettings(settings: Settings, { capabilities }: Model): Settings {
  const { toggle, effort = [], budget_tokens } = capabilities.reasoning ?? {};
  const known = settings.effort === "off" ? toggle === true : effort.includes(settings.effort);
  return {
    ...settings,
    effort: known ? settings.effort : "",
    budget: budget_tokens === undefined || settings.effort === "off" ? "" : settings.budget,
    tools: capabilities.tools ? settings.tools : "",
  };
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
        onChange={(event) => setChosen(Number(event.target.value))}
      />
    </div>
  );
  const shown = tab === "events" || tab === "code" ? tab : "conversation";
  return (
    <div className="relative">
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
      />
      {turns.length > 0 && (
        <Button kind="quiet" size="small" className="absolute top-0.5 right-0" onClick={conversation.clear}>
          Clear
        </Button>
      )}
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
