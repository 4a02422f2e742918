import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";

/** The link of a table's row or of a card, which it covers. Buttons in the row need `relative` to stay above it. */
export function RowLink({ children, ...link }: LinkProps & { children: ReactNode }) {
  return (
    <Link
      {...link}
      data-row-link=""
      className="rounded-sm font-medium after:absolute after:inset-0 hover:text-accent-ink"
    >
      {children}
    </Link>
  );
}

export function TextLink({ children, ...link }: LinkProps & { children: ReactNode }) {
  return (
    <Link
      {...link}
      className="rounded-sm font-medium text-accent-ink underline decoration-from-font underline-offset-2 hover:decoration-2"
    >
      {children}
    </Link>
  );
}

/** A link in a table's cell, underlined only on hover, since tables of underlined words are hard to read. */
export function QuietLink({ children, ...link }: LinkProps & { children: ReactNode }) {
  return (
    <Link {...link} className="relative rounded-sm hover:text-accent-ink hover:underline">
      {children}
    </Link>
  );
}
