import { useSyncExternalStore } from "react";
import { messageOf } from "../api/api-error.ts";
import { cx } from "./cx.ts";
import { Icon } from "./icon.tsx";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: "good" | "danger";
}

const STAYS_MS = 6_000;
let toasts: readonly Toast[] = [];
let last_id = 0;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function show(text: string, tone: Toast["tone"]): void {
  last_id += 1;
  const id = last_id;
  change([...toasts.slice(-2), { id, text, tone }]);
  setTimeout(() => dismiss(id), STAYS_MS);
}

function dismiss(id: number): void {
  change(toasts.filter((each) => each.id !== id));
}

/** Shows briefly that an action has succeeded ("Key disabled"). Text that must be read belongs on the page. */
export function toast(text: string): void {
  show(text, "good");
}

/** For a change that ends its dialog: shows that it has succeeded, and closes. */
export function toastAnd(close: () => void, text: string): () => void {
  return () => {
    toast(text);
    close();
  };
}

/** Shows briefly that an action has failed, where the page has no better place for the error. */
export function toastError(thrown: unknown): void {
  show(messageOf(thrown), "danger");
}

/** The place where toasts appear; used once, in the shell. Screen readers read them (`aria-live`). */
export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div
      data-toasts=""
      aria-live="polite"
      className="pointer-events-none fixed inset-x-4 bottom-4 z-60 flex flex-col items-center gap-2 sm:left-auto sm:items-end"
    >
      {shown.map(({ id, text, tone }) => (
        <div
          key={id}
          className="rise pointer-events-auto flex max-w-sm items-start gap-2.5 rounded-xl bg-ink py-2 pr-2 pl-3.5 text-canvas shadow-float"
        >
          <Icon
            name={tone === "good" ? "check" : "warning"}
            className={cx("mt-0.5 size-4.5", tone === "danger" && "text-marker")}
          />
          <span className="min-w-0 py-px">{text}</span>
          <button
            type="button"
            aria-label="Dismiss"
            onClick={() => dismiss(id)}
            className="inline-flex size-6 items-center justify-center rounded-md"
          >
            <Icon name="close" className="size-4" />
          </button>
        </div>
      ))}
    </div>
  );
}
