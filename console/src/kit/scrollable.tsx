import { type ReactNode, type RefObject, type UIEvent, useEffect, useLayoutEffect, useRef } from "react";

/**
 * A container that scrolls. The keyboard can stop at it and scroll; screen readers read its name. Where there is more beside what is
 * seen, its edge says so (`data-more`, theme.css). With `fits`, a table is laid out so that it need not scroll: first
 * without the columns for wide places, then closer, then as cards.
 */
export function Scrollable({
  label,
  className,
  fits = false,
  children,
}: {
  label: string;
  className?: string;
  fits?: boolean;
  children: ReactNode;
}) {
  const { box, onScroll } = useScrollEdges(fits);
  return (
    // biome-ignore lint/a11y/useSemanticElements: not a section, which would be one more landmark of the same name
    <div
      ref={box}
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={label}
      className={className}
      onScroll={onScroll}
    >
      {children}
    </div>
  );
}

/** Has the edges of a box that scrolls say where there is more; with `fits`, its layout is chosen so that it need not scroll. */
export function useScrollEdges<Box extends HTMLElement = HTMLDivElement>(fits = false) {
  const box = useRef<Box>(null);
  // After each change of what is inside.
  useLayoutEffect(() => settle(box.current, fits));
  useSettling(box, fits);
  const onScroll = ({ currentTarget }: UIEvent<Box>) => tellMore(currentTarget);
  return { box, onScroll };
}

/** Settles the layout again when the width changes, and says anew where there is more when what is inside grows: its font may come later. */
function useSettling(box: RefObject<HTMLElement | null>, fits: boolean): void {
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    let width = element.clientWidth;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth === width) return tellMore(element);
      width = element.clientWidth;
      settle(element, fits);
    });
    observeWithParts(observer, element);
    return () => observer.disconnect();
  }, [box, fits]);
}

/** How far the shade goes from an edge that has more beyond it (theme.css). */
const SHADE_PX = 40;

function observeWithParts(observer: ResizeObserver, element: HTMLElement): void {
  observer.observe(element);
  for (const part of element.children) observer.observe(part);
}

/** Brings the chosen of a row's parts into sight, sideways only: when another is chosen, and when the row's width or a part's changes. */
export function useChosenInSight(row: RefObject<HTMLElement | null>, chosen: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice may be out of sight
  useEffect(() => {
    const element = row.current;
    if (element === null) return;
    const show = () => {
      const part = element.querySelector('[data-state="active"], [aria-current]')?.getBoundingClientRect();
      const { left, right } = element.getBoundingClientRect();
      if (part === undefined) return;
      if (part.left < left + SHADE_PX) element.scrollLeft -= left + SHADE_PX - part.left;
      else if (part.right > right - SHADE_PX) element.scrollLeft += part.right - (right - SHADE_PX);
    };
    const observer = new ResizeObserver(show);
    observeWithParts(observer, element);
    return () => observer.disconnect();
  }, [row, chosen]);
}

/** The layouts of a table, from the widest. */
const LAYOUTS = ["all", "main", "tight", "cards"] as const;
/** On a phone tables are cards, also those that would fit. */
const PHONE = "(width < 40rem)";
/** Between a phone and this, columns that come closer would break their words. */
const NARROW = "(width < 48rem)";

function settle(box: HTMLElement | null, fits: boolean): void {
  if (box === null) return;
  delete box.dataset.fits;
  for (const layout of fits ? LAYOUTS : []) {
    if (layout === "tight" && matchMedia(NARROW).matches) continue;
    box.dataset.layout = matchMedia(PHONE).matches ? "cards" : layout;
    if (box.scrollWidth > box.clientWidth) continue;
    // Its head can stay in the window then (theme.css), which it cannot in a box that scrolls.
    box.dataset.fits = "";
    break;
  }
  tellMore(box);
}

function tellMore(box: HTMLElement): void {
  const hidden_px = box.scrollWidth - box.clientWidth;
  const sides = [box.scrollLeft > 1 ? "start" : "", box.scrollLeft < hidden_px - 1 ? "end" : ""].filter(Boolean);
  if (sides.length === 0) delete box.dataset.more;
  else box.dataset.more = sides.join(" ");
}
