import { useEffect, useState } from "react";

/** A value that follows `value` once `value` has not changed for `settles_ms`, as when the user pauses in typing. */
export function useSettled<Value>(value: Value, settles_ms = 200): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settles_ms);
    return () => clearTimeout(timer);
  }, [value, settles_ms]);
  return settled;
}
