import { type Theme, useTheme } from "../../app/theme.ts";
import { Card } from "../../kit/card.tsx";
import { Select } from "../../kit/input.tsx";
import { optionsOf } from "../../kit/options.ts";
import { PageHeader } from "../../kit/page-header.tsx";
import { Identities } from "./identities.tsx";
import { Passkeys } from "./passkeys.tsx";
import { PasswordCard } from "./password-card.tsx";
import { Profile } from "./profile.tsx";
import { Sessions } from "./sessions.tsx";

/** The user's own settings: profile, ways to sign in, sessions. */
export function SettingsPage() {
  return (
    <>
      <PageHeader title="Settings" description="Your sign-in, and how the console looks." />
      <div className="max-w-3xl space-y-5">
        <Profile />
        <PasswordCard />
        <Passkeys />
        <Identities />
        <Sessions />
        <Appearance />
      </div>
    </>
  );
}

function Appearance() {
  const [theme, setTheme] = useTheme();
  return (
    <Card title="Appearance">
      <Select
        label="Theme"
        options={optionsOf({ system: "System", light: "Light", dark: "Dark" })}
        value={theme}
        onChange={(typed) => setTheme(typed as Theme)}
        className="max-w-xs"
      />
    </Card>
  );
}
