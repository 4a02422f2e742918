import type { ReactNode } from "react";

/** A container that scrolls. The keyboard can stop at it and scroll; screen readers read its name. */
export function Scrollable({ label, className, children }: { label: string; className?: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: not a section, which would be one more landmark of the same name
    <div
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={label}
      className={className}
    >
      {children}
    </div>
  );
}
