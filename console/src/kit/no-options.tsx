import type { ReactNode } from "react";

/** What stands in the place of a list of options that has none, which a list may not be without; readers of the screen are told. */
export function NoOptions({ id, busy = false, children }: { id: string; busy?: boolean; children: ReactNode }) {
  return (
    <p id={id} role="status" aria-busy={busy} className="px-2.5 py-2 text-ink-soft">
      {children}
    </p>
  );
}
