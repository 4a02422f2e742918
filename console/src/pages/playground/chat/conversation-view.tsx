import { type ReactNode, useEffect, useRef } from "react";
import { Badge } from "../../../kit/badge.tsx";
import { EmptyState } from "../../../kit/states.tsx";
import { Thumbnails } from "../image-picker.tsx";
import { AnswerView } from "./answer-view.tsx";
import type { Turn } from "./turns.ts";

/** The conversation from the first turn on. `follows`: it scrolls with a growing answer while its end is in view. */
export function ConversationView({
  turns,
  onRetry,
  follows = true,
}: {
  turns: readonly Turn[];
  onRetry: () => void;
  follows?: boolean;
}) {
  const end = useFollowedEnd(turns, follows);
  if (turns.length === 0) {
    return (
      <EmptyState icon="playground" title="Ask a model something">
        It is a real request of this account: it goes to the public endpoint, is charged like any other, and has a
        receipt.
      </EmptyState>
    );
  }
  return (
    <div className="space-y-6">
      {turns.map((turn, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: turns are added and removed only at the end
        <TurnView key={index} turn={turn} onRetry={index === turns.length - 1 ? onRetry : undefined} />
      ))}
      {/* Below it stands the composer, which stays in the window. */}
      <div ref={end} className="scroll-mb-52" />
    </div>
  );
}

function TurnView({ turn, onRetry }: { turn: Turn; onRetry: (() => void) | undefined }) {
  switch (turn.role) {
    case "assistant":
      return <AnswerView run={turn.run} onRetry={onRetry} />;
    case "user":
      return (
        <Bubble by="You">
          <Thumbnails images={turn.images} />
          {turn.text !== "" && <p className="break-words whitespace-pre-wrap">{turn.text}</p>}
        </Bubble>
      );
    case "tool":
      return (
        <Bubble by="Your tools">
          {turn.results.map(({ call, output }) => (
            <div key={call.id} className="space-y-1">
              <Badge tone="info">{call.name}</Badge>
              <p className="font-mono text-[0.87rem] break-words whitespace-pre-wrap">{output}</p>
            </div>
          ))}
        </Bubble>
      );
  }
}

function Bubble({ by, children }: { by: string; children: ReactNode }) {
  return (
    <article aria-label={by} className="ml-auto w-fit max-w-[85%] space-y-2 rounded-xl bg-accent-soft px-4 py-2.5">
      {children}
    </article>
  );
}

const NEAR_PX = 160;

/** Keeps the end in view while an answer grows, unless the user has scrolled up to read. */
function useFollowedEnd(turns: readonly Turn[], follows: boolean) {
  const end = useRef<HTMLDivElement>(null);
  const count = useRef(0);
  useEffect(() => {
    const element = end.current;
    if (element === null || !follows) return;
    const added = turns.length > count.current;
    count.current = turns.length;
    const near = element.getBoundingClientRect().top - window.innerHeight < NEAR_PX;
    if (turns.length > 0 && (added || near)) element.scrollIntoView({ block: "nearest" });
  }, [turns, follows]);
  return end;
}
