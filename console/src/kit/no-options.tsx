import type { ReactNode } from "react";

/** What stands in the place of a list of options that has none, which a list may not be without; readers of the screen are told. */
export function NoOptions({ id, children }: { id: string; children: ReactNode }) {
  return (
    <p id={id} role="status" className="px-2.5 py-2 text-ink-soft">
      {children}
    </p>
  );
}
