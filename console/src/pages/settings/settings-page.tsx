import { PendingPage } from "../pending-page.tsx";

export function SettingsPage() {
  return <PendingPage title="Settings" icon="settings" />;
}
