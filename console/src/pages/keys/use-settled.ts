import { useEffect, useState } from "react";

/** A value once it has not changed for a moment: what somebody types is asked about when they pause. */
export function useSettled<Value>(value: Value, settles_ms = 200): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settles_ms);
    return () => clearTimeout(timer);
  }, [value, settles_ms]);
  return settled;
}
