import { type FormEvent, useState } from "react";
import { Button } from "../../../kit/button.tsx";
import { Textarea } from "../../../kit/input.tsx";
import { ImageButton, Thumbnails } from "../image-picker.tsx";
import type { ImageFile, ToolCall, Turn } from "./turns.ts";

interface Props {
  readonly running: boolean;
  /** The reason why no message can be sent now; null when one can be sent. */
  readonly blocked: string | null;
  readonly takes_images: boolean;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onSend: (turn: Turn) => void;
  readonly onStop: () => void;
}

/** The field for the next message. Ctrl or cmd with Enter sends, Escape stops the answer. */
export function Composer({ running, blocked, takes_images, text, onText, onSend, onStop }: Props) {
  const [images, setImages] = useState<readonly ImageFile[]>([]);
  const ready = !running && blocked === null && (text.trim() !== "" || images.length > 0);
  const send = (event?: FormEvent) => {
    event?.preventDefault();
    if (!ready) return;
    onSend({ role: "user", text, images: takes_images ? images : [] });
    onText("");
    setImages([]);
  };
  return (
    <form onSubmit={send} className="space-y-2.5">
      {takes_images && (
        <Thumbnails images={images} onRemove={(gone) => setImages(images.filter((image) => image !== gone))} />
      )}
      <Textarea
        label="Message"
        hide_label
        rows={3}
        placeholder="Write a message"
        value={text}
        onChange={onText}
        onKeyDown={(event) => isSend(event) && send(event)}
      />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {takes_images && <ImageButton onAdd={(added) => setImages([...images, ...added])} />}
        <span className="flex-1 text-[0.85rem] text-ink-soft">
          {blocked ?? <span className="max-sm:hidden">Ctrl or ⌘ with Enter sends, Escape stops.</span>}
        </span>
        <SendOrStop running={running} ready={ready} onStop={onStop} label="Send" />
      </div>
    </form>
  );
}

/** The fields for the results of the answer's tool calls, for which the model waits. */
export function ToolResults({
  calls,
  running,
  onSend,
  onStop,
}: { calls: readonly ToolCall[] } & Pick<Props, "running" | "onSend" | "onStop">) {
  const [outputs, setOutputs] = useState<Readonly<Record<string, string>>>({});
  const ready = calls.every(({ id }) => (outputs[id] ?? "").trim() !== "");
  const send = (event?: FormEvent) => {
    event?.preventDefault();
    if (!ready || running) return;
    onSend({ role: "tool", results: calls.map((call) => ({ call, output: outputs[call.id] ?? "" })) });
  };
  return (
    <form onSubmit={send} className="space-y-3">
      {calls.map(({ id, name }) => (
        <Textarea
          key={id}
          label={
            <span>
              Result of <code className="font-mono">{name}</code>
            </span>
          }
          mono
          rows={2}
          placeholder="What the tool answers, as text or JSON"
          value={outputs[id] ?? ""}
          onChange={(typed) => setOutputs({ ...outputs, [id]: typed })}
          onKeyDown={(event) => isSend(event) && send(event)}
        />
      ))}
      <div className="flex justify-end">
        <SendOrStop running={running} ready={ready} onStop={onStop} label="Send results" />
      </div>
    </form>
  );
}

export function SendOrStop({
  running,
  ready,
  onStop,
  label,
}: {
  running: boolean;
  ready: boolean;
  onStop: () => void;
  label: string;
}) {
  return running ? (
    <Button icon="stop" onClick={onStop}>
      Stop
    </Button>
  ) : (
    <Button type="submit" kind="primary" disabled={!ready}>
      {label}
    </Button>
  );
}

export function isSend(event: { key: string; ctrlKey: boolean; metaKey: boolean }): boolean {
  return event.key === "Enter" && (event.ctrlKey || event.metaKey);
}
