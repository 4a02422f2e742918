import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useIsAdministrator } from "../api/session.ts";
import { useApi } from "../api/use-api.ts";
import { GUIDE, openApart, useHasGuide } from "../kit/guide-link.tsx";
import { Picker, type PickerItem } from "../kit/picker.tsx";
import { useMay } from "../kit/use-account.ts";
import { useFoundItems } from "./found-items.ts";
import { ADMIN_PAGES, openPages, SETTINGS } from "./navigation.ts";
import { RECIPES } from "./recipes.ts";
import { useTheme } from "./theme.ts";

/** The palette under ctrl or cmd and K: finds recipes of the guide, pages, actions and models, and on the server keys, accounts and requests. */
export function CommandPalette({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const { found, searching } = useFoundItems(typed, open);
  const has_guide = useHasGuide();
  const pages = usePages();
  const actions = useActions();
  const models = useModelItems(open);
  return (
    <Picker
      open={open}
      onClose={() => {
        setTyped("");
        onClose();
      }}
      title="Go to"
      placeholder="A page, a task, a model, a key, a request ID, …"
      items={[...(typed.trim() === "" || !has_guide ? [] : RECIPE_ITEMS), ...pages, ...actions, ...found, ...models]}
      empty={searching ? "Searching…" : "Nothing matches."}
      onType={setTyped}
      searching={searching}
    />
  );
}

/** Recipes come first once something is typed: whoever asks how to do something need not know which page does it. */
const RECIPE_ITEMS: readonly PickerItem[] = RECIPES.map(([page, title, also]) => ({
  value: `how-to/${page}`,
  label: title,
  also: `how to ${also}`,
  icon: "external" as const,
  group: "How do I …?",
  run: () => openApart(`${GUIDE}how-to/${page}`),
}));

function usePages(): PickerItem[] {
  const navigate = useNavigate();
  const administrator = useIsAdministrator();
  const may = useMay();
  const pages = [...openPages(may), SETTINGS, ...(administrator ? ADMIN_PAGES : [])];
  return pages.map(({ to, label, icon, keys }) => ({
    value: to,
    label,
    icon,
    group: "Pages",
    run: () => void navigate({ to }),
    ...(keys === undefined ? {} : { note: keys }),
  }));
}

function useActions(): PickerItem[] {
  const navigate = useNavigate();
  const may = useMay();
  const [, setTheme] = useTheme();
  const newKey: PickerItem = {
    value: "new-key",
    label: "Create a key",
    icon: "plus",
    group: "Do",
    run: () => void navigate({ to: "/keys/new" }),
  };
  return [
    ...(may("keys:write") ? [newKey] : []),
    { value: "light", label: "Light theme", icon: "sun", group: "Do", run: () => setTheme("light") },
    { value: "dark", label: "Dark theme", icon: "moon", group: "Do", run: () => setTheme("dark") },
  ];
}

function useModelItems(open: boolean): PickerItem[] {
  const navigate = useNavigate();
  const models = useApi("GET /models", { query: { kind: "all" } }, { enabled: open });
  return (models.data?.data ?? []).map(({ id, display_name }) => ({
    value: id,
    label: display_name,
    note: id,
    icon: "models" as const,
    group: "Models",
    run: () => void navigate({ to: "/models/$vendor/$name", params: splitModelId(id) }),
  }));
}

/** `vendor/name` → the two parts; the name may hold slashes itself. */
function splitModelId(id: string): { vendor: string; name: string } {
  const slash = id.indexOf("/");
  return { vendor: id.slice(0, slash), name: id.slice(slash + 1) };
}
