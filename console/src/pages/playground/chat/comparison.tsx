import { useCallback, useEffect, useRef, useState } from "react";
import type { Model } from "../../../../../contract/models.ts";
import { Button, IconButton } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { FittingName } from "../../../kit/long-name.tsx";
import type { ChatStyle } from "../endpoints.ts";
import { StickyFoot } from "../playground-layout.tsx";
import { Composer, ToolResults } from "./composer.tsx";
import { ConversationView } from "./conversation-view.tsx";
import { PROTOCOLS } from "./protocols.ts";
import { fitSettings, type Settings } from "./settings.ts";
import { openCalls, type Turn } from "./turns.ts";
import { useConversation } from "./use-conversation.ts";

interface Props {
  readonly account: string;
  /** The models side by side, two or more. */
  readonly models: readonly Model[];
  readonly style: ChatStyle;
  readonly settings: Settings;
  readonly blocked: string | null;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onRemove: (model: string) => void;
}

/** As many columns as there is room for, two or three. */
const FEW_COLUMNS = "md:grid-cols-[repeat(auto-fit,minmax(16rem,1fr))]";

/** The actions of the composer on a column. */
interface ColumnHandle {
  readonly send: (turn: Turn) => void;
  readonly stop: () => void;
  readonly clear: () => void;
}

/** The state of a column that the composer needs. */
interface ColumnState {
  readonly running: boolean;
  readonly waits: boolean;
  readonly empty: boolean;
}

/** Sends a conversation to several models at once, and shows their answers side by side, each with its time and its charge. */
export function Comparison({ account, models, style, settings, blocked, text, onText, onRemove }: Props) {
  const handles = useRef(new Map<string, ColumnHandle>());
  const [states, setStates] = useState<Readonly<Record<string, ColumnState>>>({});
  const onState = useCallback(
    (id: string, state: ColumnState) => setStates((before) => ({ ...before, [id]: state })),
    [],
  );
  const each = (act: (handle: ColumnHandle) => void) => {
    for (const { id } of models) {
      const handle = handles.current.get(id);
      if (handle !== undefined) act(handle);
    }
  };
  const columns = models.map(({ id }) => states[id] ?? { running: false, waits: false, empty: true });
  const waits = columns.some((column) => column.waits);
  return (
    <Card>
      <div className="mb-3 flex items-center justify-between gap-3">
        <h2 className="font-semibold">{models.length} models side by side</h2>
        {columns.some(({ empty }) => !empty) && (
          <Button kind="quiet" size="small" onClick={() => each(({ clear }) => clear())}>
            Clear
          </Button>
        )}
      </div>
      <div className={`grid gap-4 ${models.length === 4 ? "md:grid-cols-2 2xl:grid-cols-4" : FEW_COLUMNS}`}>
        {models.map((model) => (
          <Column
            key={model.id}
            {...{ account, model, style, settings, onState }}
            handles={handles.current}
            onRemove={() => onRemove(model.id)}
          />
        ))}
      </div>
      <StickyFoot>
        <Composer
          running={columns.some(({ running }) => running)}
          blocked={blocked ?? (waits ? "Write the results of the tool calls first." : null)}
          takes_images={models.every(({ input_modalities }) => input_modalities.includes("image"))}
          {...{ text, onText }}
          onSend={(turn) => each(({ send }) => send(turn))}
          onStop={() => each(({ stop }) => stop())}
        />
      </StickyFoot>
    </Card>
  );
}

interface ColumnProps extends Pick<Props, "account" | "style" | "settings"> {
  readonly model: Model;
  readonly handles: Map<string, ColumnHandle>;
  readonly onState: (id: string, state: ColumnState) => void;
  readonly onRemove: () => void;
}

function Column({ account, model, style, settings, handles, onState, onRemove }: ColumnProps) {
  const conversation = useConversation(account, model.id);
  const { turns, running, stop, clear } = conversation;
  const body = (asked: readonly Turn[]) =>
    PROTOCOLS[style].body({
      model: model.id,
      turns: asked,
      settings: fitSettings(settings, model, style),
      most_tokens: model.max_completion_tokens,
    });
  const send = (turn: Turn | null) => conversation.send(turn, { style, model: model.id, body });
  const calls = openCalls(turns);
  const waits = calls.length > 0;
  const empty = turns.length === 0;
  useEffect(() => {
    handles.set(model.id, { send, stop, clear });
    return () => void handles.delete(model.id);
  });
  useEffect(() => onState(model.id, { running, waits, empty }), [model.id, running, waits, empty, onState]);
  return (
    <section aria-label={model.id} className="min-w-0 rounded-xl border border-line p-3.5">
      <header className="mb-2 flex items-center justify-between gap-2">
        <h3 className="min-w-0 font-mono text-[0.9rem] font-medium">
          <FittingName>{model.id}</FittingName>
        </h3>
        <IconButton icon="close" label={`Leave ${model.id} out`} onClick={onRemove} />
      </header>
      {empty ? (
        <p className="py-4 text-center text-[0.9rem] text-ink-soft">Its answer appears here.</p>
      ) : (
        <ConversationView turns={turns} follows={false} onRetry={() => send(null)} />
      )}
      {waits && (
        <div className="mt-3 border-t border-line pt-3">
          <ToolResults key={calls[0]?.id} calls={calls} running={running} onSend={send} onStop={stop} />
        </div>
      )}
    </section>
  );
}
