import { useNavigate } from "@tanstack/react-router";
import type { User } from "../../../../contract/users.ts";
import { IconButton } from "../../kit/button.tsx";
import { Menu, MenuItem, MenuSeparator } from "../../kit/menu.tsx";

export type UserAction = "role" | "status" | "reset";

/** The actions on a user. Administrators cannot take away their own rights; another administrator has to. */
export function UserActions({
  user,
  is_me,
  onAsk,
}: {
  user: User;
  is_me: boolean;
  onAsk: (action: UserAction) => void;
}) {
  const navigate = useNavigate();
  const disabled = user.status === "disabled";
  const name = user.email || "the first administrator";
  return (
    <Menu label={`Actions for ${name}`} trigger={<IconButton icon="more" label={`Actions for ${name}`} />}>
      <MenuItem icon="users" disabled={is_me} onSelect={() => onAsk("role")}>
        {user.role === "administrator" ? "Make a member" : "Make an administrator"}
      </MenuItem>
      <MenuItem icon="key" disabled={disabled || user.email === ""} onSelect={() => onAsk("reset")}>
        Create password-reset link
      </MenuItem>
      <MenuItem icon="audit" onSelect={() => void navigate({ to: "/admin/audit", search: { actor: user.id } })}>
        See what they changed
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={disabled ? "play" : "pause"} danger={!disabled} disabled={is_me} onSelect={() => onAsk("status")}>
        {disabled ? "Enable" : "Disable"}
      </MenuItem>
    </Menu>
  );
}
