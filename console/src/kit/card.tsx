import { type ReactNode, type RefObject, useEffect, useId, useLayoutEffect, useRef } from "react";
import { cx } from "./cx.ts";

/** A surface with a heading and perhaps actions beside it. `flush` for tables and lists that reach its edges. */
export function Card({
  title,
  description,
  actions,
  flush = false,
  className,
  children,
}: {
  title?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  flush?: boolean;
  className?: string;
  children?: ReactNode;
}) {
  const id = useId();
  return (
    <section
      aria-labelledby={title ? id : undefined}
      className={cx("min-w-0 rounded-xl border border-line bg-surface shadow-lift", className)}
    >
      {(title || actions) && (
        <header
          className={cx(
            "flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 pt-3.5 sm:px-5",
            flush && "pb-3",
          )}
        >
          <div className="min-w-0">
            {title && (
              <h2 id={id} className="text-[1.02rem] font-semibold">
                {title}
              </h2>
            )}
            {description && <p className="text-[0.88rem] text-ink-soft">{description}</p>}
          </div>
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
      )}
      <div className={flush ? "" : "px-4 py-4 sm:px-5"}>{children}</div>
    </section>
  );
}

/** One important number, with its name and a note, such as a number to compare it with. */
export function Stat({ label, children, note }: { label: ReactNode; children: ReactNode; note?: ReactNode }) {
  const value = useRef<HTMLDivElement>(null);
  useFitting(value);
  return (
    <div className="min-w-0 rounded-xl border border-line bg-surface px-4 py-3.5 shadow-lift">
      <div className="text-[0.85rem] text-ink-soft">{label}</div>
      <div
        ref={value}
        className="mt-0.5 text-[1.55rem] [overflow-wrap:anywhere] leading-tight font-semibold tracking-tight tabular-nums"
      >
        {children}
      </div>
      {note && <div className="mt-1 text-[0.83rem] text-ink-soft">{note}</div>}
    </div>
  );
}

/** Sizes of a number, from the largest: a number that goes on in a second line is read as two. */
const NUMBER_SIZES = ["", "1.3rem", "1.1rem", "0.95rem", "0.85rem"] as const;

/** Writes a value as large as it fits into one line. One that is still too long breaks like other text. */
function fit(value: HTMLElement | null): void {
  if (value === null) return;
  // To the part of a point, which scrollWidth rounds away.
  const text = document.createRange();
  text.selectNodeContents(value);
  value.style.whiteSpace = "nowrap";
  for (const size of NUMBER_SIZES) {
    value.style.fontSize = size;
    if (text.getBoundingClientRect().width <= value.getBoundingClientRect().width) break;
  }
  value.style.whiteSpace = "";
}

/** Fits a value after each change of it and of its place. */
function useFitting(value: RefObject<HTMLDivElement | null>): void {
  useLayoutEffect(() => fit(value.current));
  useEffect(() => {
    const element = value.current;
    if (element === null) return;
    let width = element.clientWidth;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth === width) return;
      width = element.clientWidth;
      fit(element);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [value]);
}

/** The details of an object as names and values, one below the other on a phone. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode] | null)[] }) {
  return (
    <dl className="grid gap-x-6 gap-y-2.5 sm:grid-cols-[max-content_1fr]">
      {facts
        .filter((fact) => fact !== null)
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-soft max-sm:-mb-2 max-sm:text-[0.85rem]">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
    </dl>
  );
}
