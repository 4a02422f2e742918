import { useEffect, useRef } from "react";

interface Shortcut {
  /** "g k" (one after the other), "?", "/", or "mod+k" (ctrl, or cmd on a Mac). */
  readonly keys: string;
  readonly label: string;
  readonly run: () => void;
}

const SEQUENCE_MS = 900;
const active = new Set<readonly Shortcut[]>();

/** All shortcuts that work now, for the help. */
export function activeShortcuts(): Shortcut[] {
  return [...active].flat();
}

/** Makes shortcuts work while the component is mounted. While the user types, only shortcuts with "mod" work. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    const group = latest.current.map(({ keys, label }, index) => ({
      keys,
      label,
      run: () => latest.current[index]?.run(),
    }));
    active.add(group);
    return () => void active.delete(group);
  }, []);
}

let before = { key: "", at_ms: 0 };

/** Listens for all shortcuts; used once, in the shell. */
export function useShortcutListener(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const pressed = pressedKeys(event);
      const sequence = event.timeStamp - before.at_ms < SEQUENCE_MS ? `${before.key} ${pressed}` : pressed;
      const found = activeShortcuts().find(({ keys }) => keys === sequence || keys === pressed);
      before = { key: pressed, at_ms: event.timeStamp };
      if (found === undefined || (!pressed.startsWith("mod+") && isBusyElsewhere(event.target))) return;
      event.preventDefault();
      found.run();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}

function pressedKeys(event: KeyboardEvent): string {
  const mod = event.ctrlKey || event.metaKey ? "mod+" : "";
  return `${mod}${event.key.length === 1 ? event.key.toLowerCase() : event.key}`;
}

/** Whether the user types, or a dialog or a menu is open. */
function isBusyElsewhere(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest("input, textarea, select, [role=dialog], [role=menu]") !== null;
}
