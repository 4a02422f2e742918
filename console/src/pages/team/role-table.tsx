import { ACCOUNT_ROLES, ROLE_WORDS } from "../../../../contract/permissions.ts";
import { Card } from "../../kit/card.tsx";

/** The permissions of each role, in a sentence. */
export function RoleTable() {
  return (
    <Card title="Roles" description="What each role can do here. Administrators of the gateway can do everything.">
      <dl className="grid gap-x-5 gap-y-2 sm:grid-cols-[auto_1fr]">
        {ACCOUNT_ROLES.map((role) => (
          <div key={role} className="contents">
            <dt className="font-medium">{roleName(role)}</dt>
            <dd className="text-ink-soft max-sm:mb-2">{ROLE_WORDS[role]}.</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

export function roleName(role: string): string {
  return role.charAt(0).toUpperCase() + role.slice(1);
}
