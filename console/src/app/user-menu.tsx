import { useNavigate } from "@tanstack/react-router";
import type { AccountRole } from "../../../contract/permissions.ts";
import { call } from "../api/call.ts";
import { forgetSession, useUser } from "../api/session.ts";
import { API_REFERENCE, GUIDE, openApart, useHasGuide } from "../kit/guide-link.tsx";
import { Icon } from "../kit/icon.tsx";
import { Menu, MenuChoice, MenuItem, MenuLabel, MenuSeparator } from "../kit/menu.tsx";
import { toastError } from "../kit/toast.tsx";
import { useAccountRole } from "../kit/use-account.ts";
import { showShortcutHelp } from "./shortcut-help.tsx";
import { type Theme, useTheme } from "./theme.ts";

const THEMES: readonly { value: Theme; label: string; icon: "sun" | "moon" | "system" }[] = [
  { value: "light", label: "Light", icon: "sun" },
  { value: "dark", label: "Dark", icon: "moon" },
  { value: "system", label: "System", icon: "system" },
];

const ROLES: Readonly<Record<AccountRole, string>> = {
  owner: "Owner",
  member: "Member",
  viewer: "Viewer",
  billing: "Billing",
};

/** The menu of the signed-in user: name, theme, settings and signing out. */
export function UserMenu({ onGone }: { onGone: (() => void) | undefined }) {
  const user = useUser();
  const role = useAccountRole();
  const has_guide = useHasGuide();
  const navigate = useNavigate();
  const [theme, setTheme] = useTheme();
  const signOut = async () => {
    try {
      await call("DELETE /session", {});
      forgetSession();
      await navigate({ to: "/sign-in", search: { account: undefined } });
    } catch (thrown) {
      toastError(thrown);
    }
  };
  const name = user.name || user.email || "First administrator";
  const trigger = (
    <button type="button" className="flex w-full items-center gap-2.5 rounded-lg p-2 text-left hover:bg-sunken">
      <span
        aria-hidden="true"
        className="flex size-7.5 shrink-0 items-center justify-center rounded-full bg-accent text-[0.85rem] font-semibold text-on-accent"
      >
        {name.slice(0, 1).toUpperCase()}
      </span>
      <span className="min-w-0 flex-1 leading-tight">
        <span className="block truncate font-medium">{name}</span>
        <span className="block text-[0.8rem] text-ink-soft">
          {user.role === "administrator" ? "Administrator" : role === null ? "No account" : ROLES[role]}
        </span>
      </span>
      <Icon name="chevron-up-down" className="size-4 text-ink-soft" />
    </button>
  );
  return (
    <Menu trigger={trigger} align="start" label="You">
      {user.email && <MenuLabel>{user.email}</MenuLabel>}
      <MenuItem
        icon="settings"
        onSelect={() => {
          onGone?.();
          void navigate({ to: "/settings" });
        }}
      >
        Settings
      </MenuItem>
      {has_guide && (
        <MenuItem icon="external" onSelect={() => openApart(GUIDE)}>
          Guide
        </MenuItem>
      )}
      <MenuItem icon="external" onSelect={() => openApart(API_REFERENCE)}>
        API reference
      </MenuItem>
      <MenuItem icon="keyboard" onSelect={showShortcutHelp}>
        Keyboard shortcuts
      </MenuItem>
      <MenuSeparator />
      <MenuLabel>Theme</MenuLabel>
      <MenuChoice value={theme} options={THEMES} onChange={setTheme} />
      <MenuSeparator />
      <MenuItem icon="sign-out" onSelect={() => void signOut()}>
        Sign out
      </MenuItem>
    </Menu>
  );
}
