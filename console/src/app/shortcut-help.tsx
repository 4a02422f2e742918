import { useSyncExternalStore } from "react";
import { Dialog } from "../kit/dialog.tsx";
import { activeShortcuts } from "../kit/shortcuts.ts";

let shown = false;
const listeners = new Set<() => void>();

function show(next: boolean): void {
  shown = next;
  for (const listener of listeners) listener();
}

export function showShortcutHelp(): void {
  show(true);
}

/** The help under `?`: every shortcut that works on this page. */
export function ShortcutHelp() {
  const open = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
  return (
    <Dialog open={open} onClose={() => show(false)} title="Keyboard shortcuts">
      {/* The dialog scrolls where there are many, and the keyboard must be able to scroll it. */}
      <dl tabIndex={0} className="grid grid-cols-[max-content_1fr] items-baseline gap-x-6 gap-y-1.5">
        {activeShortcuts().map(({ keys, label }) => (
          <div key={keys} className="contents">
            <dt>
              {keys.split(" ").map((key, index) => (
                <kbd
                  // biome-ignore lint/suspicious/noArrayIndexKey: the same key twice is two keys to press
                  key={index}
                  className="mr-1 rounded-md border border-line bg-sunken px-1.5 py-0.5 font-mono text-[0.8rem]"
                >
                  {key.replace("mod+", "Ctrl/⌘ ")}
                </kbd>
              ))}
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-4 text-[0.88rem] text-ink-soft">In tables, the arrow keys go from row to row.</p>
    </Dialog>
  );
}
