import { Fragment, type ReactNode } from "react";
import { cx } from "./cx.ts";

/** A name of people or vendors that may be long: lines break behind the signs that divide it, and within a word only where one alone is too long. */
export function LongName({ children }: { children: string }) {
  const parts = children.split(/(?<=[/.@_:=])/);
  return parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have nothing but their places
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

/** A long name that never widens its place: a word that is longer than a line is broken. */
export function FittingName({ children }: { children: string }) {
  return (
    <span className="[overflow-wrap:anywhere]">
      <LongName>{children}</LongName>
    </span>
  );
}

/** What identifies an object beneath the name that people gave it: the e-mail of a user or an account, the id of a model. */
export function BeneathName({ children, code = false }: { children: string; code?: boolean }) {
  return (
    <span className={cx("block font-normal text-ink-soft", code ? "font-mono text-[0.8rem]" : "text-[0.85rem]")}>
      <FittingName>{children}</FittingName>
    </span>
  );
}

/**
 * A long name in a narrow column: two lines of it, and what is cut as a hint. A card has it whole: it is pointed at by no mouse, and a text that
 * is aligned at its end has no sign where it is cut.
 */
export function ShortenedName({ children, hint }: { children: ReactNode; hint: string }) {
  return (
    <span
      className="line-clamp-2 max-w-44 min-w-24 break-words cards:line-clamp-none cards:max-w-none cards:min-w-0"
      data-hint={hint}
    >
      {children}
    </span>
  );
}
