import { useState } from "react";

/** Whether the user has dismissed something in this browser. Where storage is forbidden, it is remembered as long as the page lives. */
export function useStoredFlag(name: string): [is_set: boolean, set: () => void] {
  const [flag, setFlag] = useState(() => read(name));
  const set = (): void => {
    setFlag(true);
    try {
      localStorage.setItem(name, "yes");
    } catch {
      // Storage is forbidden.
    }
  };
  return [flag, set];
}

function read(name: string): boolean {
  try {
    return localStorage.getItem(name) !== null;
  } catch {
    return false;
  }
}
