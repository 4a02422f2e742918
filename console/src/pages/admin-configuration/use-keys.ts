import { useRef } from "react";

/** Keys of rows that are added at the end and removed anywhere, so that each row keeps its input's focus and text. */
export function useKeys(length: number) {
  const keys = useRef<number[]>([]);
  const next = useRef(0);
  while (keys.current.length < length) {
    keys.current.push(next.current);
    next.current += 1;
  }
  return {
    at: (index: number) => keys.current[index],
    remove: (index: number) => void keys.current.splice(index, 1),
  };
}
