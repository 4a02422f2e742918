import { useSyncExternalStore } from "react";

export type Theme = "light" | "dark" | "system";

const STORED = "camino-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

function chosenTheme(): Theme {
  try {
    const stored = localStorage.getItem(STORED);
    return stored === "light" || stored === "dark" ? stored : "system";
  } catch {
    return "system";
  }
}

/** public/theme.js does the same before the first paint. */
function apply(): void {
  const theme = chosenTheme();
  const dark = theme === "dark" || (theme === "system" && system.matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  for (const listener of listeners) listener();
}

system.addEventListener("change", apply);

/** The chosen theme, and how to choose another one. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const theme = useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, chosenTheme);
  const set = (next: Theme): void => {
    try {
      localStorage.setItem(STORED, next);
    } catch {
      // Storage is forbidden: the system's choice stays.
    }
    apply();
  };
  return [theme, set];
}
