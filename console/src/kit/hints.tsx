import { useEffect, useRef } from "react";

const GAP_PX = 6;

/**
 * The console's only tooltip. It shows the `data-hint` of any element that is hovered or focused by keyboard: elements
 * need no wrapper, and a table with a thousand amounts costs no more than a table with three. The tooltip is in the top
 * layer, so that dialogs and scrolling tables do not cut it. Escape hides it. What renews itself, or scrolls beneath a resting pointer or with the
 * focus, keeps it.
 */
export function Hints() {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const hint = box.current;
    if (hint === null) return;
    let shown: HTMLElement | null = null;
    const renewed = new MutationObserver(() => {
      hint.textContent = shown?.dataset.hint ?? "";
    });
    const hide = () => {
      renewed.disconnect();
      shown?.removeAttribute("aria-describedby");
      shown = null;
      if (hint.matches(":popover-open")) hint.hidePopover();
    };
    const show = (target: EventTarget | null, by_keyboard: boolean) => {
      const owner = target instanceof Element ? target.closest<HTMLElement>("[data-hint]") : null;
      if (owner === shown) return;
      hide();
      if (owner === null || (by_keyboard && !owner.matches(":focus-visible"))) return;
      shown = owner;
      hint.textContent = owner.dataset.hint ?? "";
      if (owner.getAttribute("aria-label") !== hint.textContent && !owner.hasAttribute("aria-describedby"))
        owner.setAttribute("aria-describedby", hint.id);
      hint.showPopover();
      place(hint, owner.getBoundingClientRect());
      renewed.observe(owner, { attributeFilter: ["data-hint"] });
    };
    // The browser tells of no pointer that has come to rest on the same element, so a hint that was hidden would not come back. Neither would that of
    // an element that a browser scrolls into sight because it got the focus.
    const follow = () =>
      shown?.matches(":hover, :focus-visible") ? place(hint, shown.getBoundingClientRect()) : hide();
    const listeners: [string, (event: Event) => void][] = [
      ["pointerover", (event) => (event as PointerEvent).pointerType !== "touch" && show(event.target, false)],
      // Touch screens have no hover: there, a tap on an element that is no control shows its hint.
      ["click", (event) => !isControl(event.target) && show(event.target, false)],
      ["focusin", (event) => show(event.target, true)],
      ["focusout", hide],
      ["pointerdown", hide],
      ["keydown", (event) => (event as KeyboardEvent).key === "Escape" && hide()],
    ];
    for (const [name, listener] of listeners) document.addEventListener(name, listener);
    addEventListener("scroll", follow, { capture: true, passive: true });
    return () => {
      for (const [name, listener] of listeners) document.removeEventListener(name, listener);
      removeEventListener("scroll", follow, { capture: true });
      renewed.disconnect();
    };
  }, []);
  return <div ref={box} id="hint" role="tooltip" popover="manual" className="hint" />;
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("a, button, input, select, textarea, label") !== null;
}

/** Places a hint above its owner, or below where there is no room; never outside of the window. */
function place(hint: HTMLElement, owner: DOMRect): void {
  const { width, height } = hint.getBoundingClientRect();
  const above = owner.top - height - GAP_PX;
  const left = Math.min(Math.max(4, owner.left + owner.width / 2 - width / 2), innerWidth - width - 4);
  hint.style.left = `${left}px`;
  hint.style.top = `${above >= 4 ? above : owner.bottom + GAP_PX}px`;
}
