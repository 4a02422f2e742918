import type { ReactNode } from "react";

/** Stands in place of an empty list of options, which screen readers do not allow, and announces that there are none. */
export function NoOptions({ id, busy = false, children }: { id: string; busy?: boolean; children: ReactNode }) {
  return (
    <p id={id} role="status" aria-busy={busy} className="px-2.5 py-2 text-ink-soft">
      {children}
    </p>
  );
}
