import { type RefObject, useEffect, useRef, useState } from "react";

/** An element's current width in pixels; 0 before it is measured. */
export function useWidth<Tag extends HTMLElement>(): [RefObject<Tag | null>, number] {
  const element = useRef<Tag>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(element.current);
    return () => observer.disconnect();
  });
  return [element, width];
}
